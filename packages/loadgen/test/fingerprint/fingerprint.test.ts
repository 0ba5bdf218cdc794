import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { takeFingerprint } from '../../src/fingerprint/fingerprint.ts'
import type { Answer, NoAnswer, Visitor } from '../../src/target/visitor.ts'

/** Answers by path; any other path is 404. */
function visitorOf(pages: Readonly<Record<string, object | string>>, server = ''): Visitor {
  return {
    visit: async ({ url }): Promise<Answer | NoAnswer> => {
      const page = pages[new URL(url).pathname]
      if (page === undefined) return { ok: true, status: 404, contentType: '', server, text: '' }
      return {
        ok: true,
        status: 200,
        contentType: '',
        server,
        text: typeof page === 'string' ? page : JSON.stringify(page),
      }
    },
    close: async () => {},
  }
}

const take = (visitor: Visitor, metricsUrl: string | null = 'http://127.0.0.1/metrics') =>
  takeFingerprint({ visitor, baseUrl: 'http://127.0.0.1/v1', metricsUrl, model: 'm' })

const models = (extra: object) => ({ object: 'list', data: [{ id: 'm', created: 1, ...extra }] })

describe('fingerprint: what each engine reveals', () => {
  test('vLLM', async () => {
    const pages = {
      '/v1/models': models({ owned_by: 'vllm', root: 'org/m', max_model_len: 8192 }),
      '/version': { version: '0.11.0' },
      '/metrics':
        'vllm:cache_config_info{block_size="16",enable_prefix_caching="True",num_gpu_blocks="9000"} 1\n',
    }
    expect(await take(visitorOf(pages))).toMatchObject({
      engine: 'vllm',
      version: '0.11.0',
      model: 'org/m',
      settings: {
        max_model_len: 8192,
        block_size: '16',
        enable_prefix_caching: 'True',
        num_gpu_blocks: '9000',
      },
    })
  })

  test('SGLang', async () => {
    const pages = {
      '/v1/models': models({ owned_by: 'sglang' }),
      '/get_server_info': {
        version: '0.5.1',
        tp_size: 2,
        max_running_requests: 64,
        internal_states: [{ last_gen_throughput: 3 }],
      },
      '/get_model_info': { model_path: 'org/m' },
    }
    expect(await take(visitorOf(pages))).toMatchObject({
      engine: 'sglang',
      version: '0.5.1',
      model: 'org/m',
      settings: { tp_size: 2, max_running_requests: 64 },
    })
  })

  test('TGI', async () => {
    const pages = {
      '/info': {
        model_id: 'org/m',
        version: '3.3.0',
        docker_label: 'x',
        max_concurrent_requests: 128,
        model_dtype: 'float16',
      },
    }
    expect(await take(visitorOf(pages))).toMatchObject({
      engine: 'tgi',
      version: '3.3.0',
      model: 'org/m',
      settings: { max_concurrent_requests: 128, model_dtype: 'float16' },
    })
  })

  test.each(['b10309', 'b4748'])('llama.cpp %s', async (version) => {
    const fixture = JSON.parse(
      readFileSync(new URL(`../fixtures/llamacpp-${version}-pages.json`, import.meta.url), 'utf8'),
    )
    const props = {
      build_info: version,
      total_slots: 2,
      model_path: 'tiny.gguf',
      default_generation_settings: { n_ctx: 2048 },
    }
    const pages = { '/v1/models': fixture.models, '/metrics': fixture.metrics, '/props': props }
    expect(await take(visitorOf(pages, 'llama.cpp'))).toMatchObject({
      engine: 'llamacpp',
      version,
      model: 'tiny.gguf',
      settings: { total_slots: 2, n_ctx: 2048, n_params: 3_388_672 },
    })
  })

  test('a server that reveals nothing', async () => {
    expect(await take(visitorOf({}), null)).toMatchObject({
      engine: 'unknown',
      version: null,
      model: null,
      settings: {},
    })
  })
})

describe('fingerprint: its hash', () => {
  const page = (extra: object) =>
    visitorOf({ '/v1/models': models({ owned_by: 'vllm', max_model_len: 8192, ...extra }) })

  test('is the same at another time, and whatever the order', async () => {
    const first = await take(page({ created: 1 }))
    const second = await take(page({ created: 2 }))
    expect(first.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(second.hash).toBe(first.hash)
  })

  test('differs with a setting', async () => {
    expect((await take(page({ max_model_len: 4096 }))).hash).not.toBe((await take(page({}))).hash)
  })
})
