/** What `loadcurve sim --help` says after its options: presets, faults, headers, paths. */
import { FAULTS } from '@loadcurve/sim/faults/catalogue'
import { PRESETS } from '@loadcurve/sim/presets/presets'

export function simHelp(): string {
  const presets = Object.values(PRESETS).map(({ name, summary }) => [name, summary] as const)
  const faults = Object.entries(FAULTS).map(
    ([name, { kind, summary }]) => [name, `${summary} (${kind})`] as const,
  )
  return `
Presets:
${table(presets)}

Faults: ask for one with the request header "x-sim-fault: NAME" (parameters: "NAME;after=5;delayMs=300"),
or give a fraction of all requests one with --fault NAME=0.02, drawn from the seed. A "stream" fault leaves
an answer that is not streamed alone. A refused connection (no listener at all) is any closed port.
${table(faults)}

Other request headers:
${table([
  ['x-sim-stamp: 1', 'each event carries sim.writtenAtMs, the instant of its write on CLOCK_MONOTONIC, ms'],
  ['x-sim-reasoning: FIELD', 'half of the tokens are reasoning, in "reasoning_content" or "reasoning"'],
])}

Paths beside /v1: /health /metrics /tokenize /version, and
${table([
  ['GET /sim/truth', 'the law and what follows from it (?concurrency=&inputTokens=&outputTokens=&slo=)'],
  ['GET /sim/realised', 'what really happened (?since=&until= in CLOCK_MONOTONIC ms)'],
  ['GET /sim/requests', 'every completion request with its instants (?since=&until=)'],
  ['POST /sim/control', '{"max_num_seqs": 32}: a new cap after a restart; poll /health until 200'],
])}

Examples:
  loadcurve sim --preset small --port 8000
  loadcurve sim --preset 8b-h100 --max-num-seqs 64 --fault http-503=0.01 --fault reset-mid-stream=0.01
`
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')
}
