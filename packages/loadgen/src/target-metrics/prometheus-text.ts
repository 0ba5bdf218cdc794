/**
 * Prometheus' text format (version 0.0.4, and what OpenMetrics adds to its samples): one sample a line,
 * `name{label="value",...} number [timestamp]`. Comments, and lines that are none of this, are passed over: a server's
 * metrics are a courtesy, and one odd line must not cost the others.
 */

export interface MetricSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A series as a plan names it: a name and, where needed, label matchers, as in `queue_size{engine="0"}`. */
export interface SeriesSelector {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/
const LABEL = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|(?=\}))/

/** The samples of a page, in its order. */
export function parsePrometheusText(page: string): MetricSample[] {
  const samples: MetricSample[] = []
  for (const line of page.split('\n')) {
    const sample = parseSample(line.trim())
    if (sample !== null) samples.push(sample)
  }
  return samples
}

/** A selector, or null when the text is none. */
export function parseSelector(text: string): SeriesSelector | null {
  const series = parseSeries(text.trim())
  return series === null || series.rest.trim() !== '' ? null : { name: series.name, labels: series.labels }
}

/** Whether the sample carries the selector's labels (it may carry more), under this name. */
export function isSelected(sample: MetricSample, name: string, labels: SeriesSelector['labels']): boolean {
  return (
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  )
}

function parseSample(line: string): MetricSample | null {
  if (line === '' || line.startsWith('#')) return null
  const series = parseSeries(line)
  const word = series?.rest.trim().split(/\s+/)[0] ?? ''
  const value = parseNumber(word)
  return series === null || value === null ? null : { name: series.name, labels: series.labels, value }
}

function parseSeries(text: string): (SeriesSelector & { readonly rest: string }) | null {
  const name = NAME.exec(text)?.[0]
  if (name === undefined) return null
  let rest = text.slice(name.length).trimStart()
  if (!rest.startsWith('{')) return { name, labels: {}, rest }
  rest = rest.slice(1)
  const labels: Record<string, string> = {}
  for (let match = LABEL.exec(rest); match !== null; match = LABEL.exec(rest)) {
    labels[match[1] ?? ''] = unescaped(match[2] ?? '')
    rest = rest.slice(match[0].length)
  }
  rest = rest.trimStart()
  return rest.startsWith('}') ? { name, labels, rest: rest.slice(1) } : null
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, (_whole, character: string) => (character === 'n' ? '\n' : character))
}

function parseNumber(word: string): number | null {
  if (/^[+-]?inf(inity)?$/i.test(word)) return word.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(word)) return Number.NaN
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : null
}
