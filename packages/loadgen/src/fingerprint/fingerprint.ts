/**
 * Who is the server, and how is it set up? Two runs can be compared only when this is the same, so what the server
 * says of itself is gathered, sorted, and hashed. Every engine has its own place for it:
 *
 * | engine    | asked                                                                   |
 * |-----------|-------------------------------------------------------------------------|
 * | all       | /v1/models: model, context length                                       |
 * | vLLM      | /version; `vllm:cache_config_info` in /metrics                          |
 * | SGLang    | /get_server_info (settings), /get_model_info                            |
 * | TGI       | /info                                                                   |
 * | llama.cpp | /props: build, slots, context; the `Server` header                      |
 *
 * Only settings are kept, by name: a server's page also holds clocks and counters, and they would change the hash.
 * What a server does not reveal is left out, never guessed.
 */

import { createHash } from 'node:crypto'
import type { Answer, NoAnswer, Visitor } from '../target/visitor.ts'
import { type EngineName, recogniseEngine } from '../target-metrics/mapping.ts'
import { type MetricSample, parsePrometheusText } from '../target-metrics/prometheus-text.ts'
import { asObject, asText, type JsonObject, parseJson } from '../wire/json.ts'
import { pickSettings, type Setting } from './settings.ts'

export interface Fingerprint {
  readonly engine: EngineName | 'unknown'
  readonly version: string | null
  /** The model as the server names it: what it answers to, or what it has loaded. */
  readonly model: string | null
  readonly settings: Readonly<Record<string, Setting>>
  /** SHA-256 of all of the above, hexadecimal. */
  readonly hash: string
}

export interface FingerprintOptions {
  readonly visitor: Visitor
  /** Base of the API, with its version part. */
  readonly baseUrl: string
  readonly metricsUrl: string | null
  /** The model that the plan asks for. */
  readonly model: string
  /** Longest wait for each question, ms; they are asked side by side. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

const PLACES = ['/version', '/get_server_info', '/get_model_info', '/info', '/props'] as const

/** Asks the server who it is. Never rejects: what is not answered is not known. */
export async function takeFingerprint(options: FingerprintOptions): Promise<Fingerprint> {
  const pages = await readPages(options)
  const listed = listedModel(pages.models, options.model)
  const samples = parsePrometheusText(pages.metrics)
  const settings = {
    ...pickSettings(listed ?? {}),
    ...pickSettings(asObject(listed?.['meta']) ?? {}),
    ...cacheConfig(samples),
    ...Object.assign({}, ...PLACES.map((place) => pickSettings(pages.places[place] ?? {}))),
  }
  const known = {
    engine: engineOf(pages.server, asText(listed?.['owned_by']), samples, pages.places),
    version: versionOf(pages.places),
    model: modelOf(pages.places) ?? (listed === null ? null : asText(listed['root']) || asText(listed['id'])),
    settings,
  }
  return { ...known, hash: hashOf(known) }
}

interface Pages {
  readonly models: JsonObject | null
  readonly metrics: string
  readonly server: string
  readonly places: { readonly [place: string]: JsonObject }
}

async function readPages(options: FingerprintOptions): Promise<Pages> {
  const { visitor, baseUrl, metricsUrl, timeoutMs = 5000, signal } = options
  const base = baseUrl.replace(/\/+$/, '')
  const root = base.replace(/\/v\d+$/, '')
  const ask = (url: string) => visitor.visit({ url, timeoutMs, ...(signal === undefined ? {} : { signal }) })
  const [models, metrics, ...answers] = await Promise.all([
    ask(`${base}/models`),
    metricsUrl === null ? null : ask(metricsUrl),
    ...PLACES.map((place) => ask(`${root}${place}`)),
  ])
  const read = PLACES.flatMap((place, index) => {
    const object = objectOf(answers[index])
    return object === null ? [] : [[place, object] as const]
  })
  return {
    models: objectOf(models),
    metrics: metrics?.ok === true && metrics.status === 200 ? metrics.text : '',
    server: models.ok ? models.server : '',
    places: Object.fromEntries(read),
  }
}

function objectOf(answer: Answer | NoAnswer | undefined): JsonObject | null {
  return answer?.ok === true && answer.status === 200 ? asObject(parseJson(answer.text)) : null
}

function listedModel(models: JsonObject | null, wanted: string): JsonObject | null {
  const list = Array.isArray(models?.['data'])
    ? models['data'].map(asObject).filter((one) => one !== null)
    : []
  return list.find((one) => one['id'] === wanted) ?? list[0] ?? null
}

function engineOf(
  server: string,
  ownedBy: string,
  samples: readonly MetricSample[],
  places: Pages['places'],
): Fingerprint['engine'] {
  if (/llama\.cpp/i.test(server) || ownedBy === 'llamacpp') return 'llamacpp'
  if (ownedBy === 'vllm' || ownedBy === 'sglang') return ownedBy
  const counted = recogniseEngine(samples)
  if (counted !== null) return counted
  if (places['/get_server_info'] !== undefined) return 'sglang'
  if (
    places['/info']?.['docker_label'] !== undefined ||
    places['/info']?.['max_concurrent_requests'] !== undefined
  )
    return 'tgi'
  return places['/props']?.['build_info'] === undefined ? 'unknown' : 'llamacpp'
}

function versionOf(places: Pages['places']): string | null {
  const found = [
    places['/version']?.['version'],
    places['/get_server_info']?.['version'],
    places['/info']?.['version'],
    places['/props']?.['build_info'],
  ].find((value) => typeof value === 'string')
  return asText(found) || null
}

function modelOf(places: Pages['places']): string | null {
  const found = [
    places['/get_model_info']?.['model_path'],
    places['/info']?.['model_id'],
    places['/props']?.['model_path'],
  ].find((value) => typeof value === 'string')
  return asText(found) || null
}

/** vLLM shows the settings of its KV cache as labels of a constant series. */
function cacheConfig(samples: readonly MetricSample[]): Record<string, Setting> {
  const config = samples.find(({ name }) => name === 'vllm:cache_config_info')
  return config === undefined ? {} : pickSettings(config.labels)
}

function hashOf(known: Omit<Fingerprint, 'hash'>): string {
  const settings = Object.entries(known.settings).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify([known.engine, known.version, known.model, settings])
  return createHash('sha256').update(text).digest('hex')
}
