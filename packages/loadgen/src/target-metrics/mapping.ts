/**
 * Which series of a server hold what we want to know. The names differ between engines and between their versions, so
 * they are data: one JSON file per engine in `mappings/`, names tried in order. A plan may bring its own.
 */

import { readFileSync } from 'node:fs'
import { type MetricSample, parseSelector, type SeriesSelector } from './prometheus-text.ts'

export type SeriesKey =
  | 'running'
  | 'waiting'
  | 'kvUsage'
  | 'queueTime'
  | 'preemptions'
  | 'prefixCacheHits'
  | 'prefixCacheQueries'

export const ENGINES = ['vllm', 'sglang', 'tgi', 'llamacpp'] as const
export type EngineName = (typeof ENGINES)[number]

export interface MetricsMapping {
  readonly engine: EngineName | 'custom'
  /** Alternatives for each series, the first that the page has is read; empty: the engine does not tell. */
  readonly series: { readonly [key in SeriesKey]: readonly SeriesSelector[] }
}

interface MappingFile {
  readonly engine: EngineName
  /** What the engine's own series begin with. */
  readonly prefix: string
  readonly series: { readonly [key in SeriesKey]: readonly string[] }
}

const FILES = ENGINES.map(
  (engine): MappingFile =>
    JSON.parse(readFileSync(new URL(`../../mappings/${engine}.json`, import.meta.url), 'utf8')),
)

/** The shipped mapping of an engine. */
export function shippedMapping(engine: EngineName): MetricsMapping {
  const file = FILES.find((one) => one.engine === engine)
  if (file === undefined) throw new RangeError(`no mapping for engine ${engine}`)
  return mappingOf(engine, (key) => file.series[key])
}

/**
 * A plan's own mapping: a selector for each series, or null where the server does not tell.
 *
 * @throws RangeError quoting a selector that cannot be read
 */
export function customMapping(series: { readonly [key in SeriesKey]: string | null }): MetricsMapping {
  return mappingOf('custom', (key) => (series[key] === null ? [] : [series[key]]))
}

/** The engine whose series are on the page, or null. */
export function recogniseEngine(samples: readonly MetricSample[]): EngineName | null {
  const file = FILES.find(({ prefix }) => samples.some(({ name }) => name.startsWith(prefix)))
  return file?.engine ?? null
}

function mappingOf(
  engine: MetricsMapping['engine'],
  namesOf: (key: SeriesKey) => readonly string[],
): MetricsMapping {
  const of = (key: SeriesKey) => namesOf(key).map(selectorOf)
  return {
    engine,
    series: {
      running: of('running'),
      waiting: of('waiting'),
      kvUsage: of('kvUsage'),
      queueTime: of('queueTime'),
      preemptions: of('preemptions'),
      prefixCacheHits: of('prefixCacheHits'),
      prefixCacheQueries: of('prefixCacheQueries'),
    },
  }
}

function selectorOf(text: string): SeriesSelector {
  const selector = parseSelector(text)
  if (selector === null) throw new RangeError(`not a series with label matchers: ${text}`)
  return selector
}
