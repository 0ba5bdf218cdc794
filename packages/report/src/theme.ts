/** The colours and type of everything we draw, as CSS variables: one theme for the dashboard, reports and charts. */

const LIGHT = `
  color-scheme: light;
  --paper: #fbfbf9; --card: #ffffff; --ink: #16181d; --muted: #59606b; --rule: #d8dce2;
  --accent: #0a6b5d; --accent-ink: #ffffff; --measured: #2452c4; --fitted: #6b3fa0; --second: #a8500a; --third: #99305f;
  --limit: #b3261e; --good: #1d6b33; --warn: #7a5200; --bad: #b3261e;`

const DARK = `
  color-scheme: dark;
  --paper: #101317; --card: #181c22; --ink: #e9ebee; --muted: #a3abb6; --rule: #333a45;
  --accent: #43cdb4; --accent-ink: #06211c; --measured: #86a8ff; --fitted: #c29bf5; --second: #f3a863; --third: #f08bb8;
  --limit: #ff8f86; --good: #6fd08c; --warn: #e8bd5a; --bad: #ff8f86;`

/** Follows the system unless the page sets `data-theme` on its root; print is always light. */
export const THEME_CSS = `
:root {${LIGHT}
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme='light']) {${DARK}
  }
}
:root[data-theme='dark'] {${DARK}
}
@media print {
  :root, :root[data-theme='dark'] {${LIGHT}
  }
}
.lc-chart { color: var(--muted); max-width: 100%; height: auto; }
.lc-chart text:not(.lc-label) { fill: currentColor; }
`
