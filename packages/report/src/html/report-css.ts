/** Layout of the report file; the dashboard uses the same class names with its own style sheet. */
export const REPORT_CSS = `
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; background: var(--paper); color: var(--ink); }
main { max-width: 1400px; margin: 0 auto; padding: 24px 16px; }
h1 { font-size: 26px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 0 0 12px; }
h3 { font-size: 15px; margin: 12px 0 6px; }
p { margin: 0 0 10px; max-width: 76ch; overflow-wrap: anywhere; }
.muted, caption { color: var(--muted); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 18px; margin: 0 0 18px; min-width: 0; break-inside: avoid; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 18px; margin-bottom: 18px; }
.charts > .card { margin: 0; }
figcaption h3 { margin-top: 0; }
.answer { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr)); gap: 16px 24px; margin: 0; }
.answer dt, .facts dt { color: var(--muted); }
.answer dd { margin: 0; font-size: 28px; line-height: 1.2; font-weight: 700; font-variant-numeric: tabular-nums; }
.answer small { display: block; font-size: 14px; line-height: 1.4; font-weight: 400; color: var(--muted); }
.facts { display: grid; gap: 6px 24px; margin: 0 0 14px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.verdict { font-size: 15px; font-weight: 700; padding: 2px 9px; border-radius: 6px; border: 1px solid currentColor; }
.verdict-good { color: var(--good); } .verdict-warn { color: var(--warn); } .verdict-bad { color: var(--bad); }
.notes { margin: 0; padding-left: 20px; } .notes li { margin-bottom: 5px; max-width: 84ch; overflow-wrap: anywhere; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.9em; }
.scroll { overflow-x: auto; }
pre { margin: 8px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 8px; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; } td.number, th.number { text-align: right; } td.number, th.level { white-space: nowrap; }
tr.excluded td, tr.excluded th { color: var(--muted); }
@media print { main { max-width: none; padding: 0; } .card { border-color: #bbb; } }
`
