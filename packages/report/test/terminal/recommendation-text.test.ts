import { recommendationText } from '@loadcurve/report/terminal/recommendation-text'
import { expect, test } from 'vitest'
import { recommended, refused } from './example.ts'

const plain = { colour: false, unicode: false, columns: 80 }
const slo = [{ metric: 'tpot', percentile: 'mean', maxMs: 33 }] as const
const text = (display = plain) => recommendationText(recommended, { slo, display })

test('terminal: a recommendation with everything, in plain ASCII', async () => {
  await expect(text()).toMatchFileSnapshot('../golden/recommended.txt')
})

test('terminal: the same on a UTF-8 terminal', async () => {
  await expect(text({ ...plain, unicode: true })).toMatchFileSnapshot('../golden/recommended-unicode.txt')
})

test('terminal: a refusal says why, and what to do', async () => {
  await expect(recommendationText(refused, { slo: [], display: plain })).toMatchFileSnapshot(
    '../golden/refused.txt',
  )
})

test('terminal: a model that does not fit is not a promise that cannot be kept', () => {
  const unloaded = { ...refused, verdict: 'infeasible', reasons: ['weights-do-not-fit'] } as const
  const shown = recommendationText(unloaded, { slo: [], display: plain })
  expect(shown).toContain('none: the model does not fit into these GPUs')
  expect(shown).not.toContain('the promise cannot be kept')
})

test('terminal: without UTF-8 every character is ASCII, and no line is longer than 80', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what is meant
  expect(text().match(/[^\x00-\x7f]/g)).toBeNull()
  const long = (display: typeof plain) =>
    text(display)
      .split('\n')
      .filter((line) => line.length > display.columns)
  expect(long(plain)).toEqual([])
  expect(long({ ...plain, unicode: true })).toEqual([])
})

test('terminal: colour changes no letter, and there is none unless wanted', () => {
  const start = String.fromCharCode(27)
  const coloured = text({ ...plain, colour: true })
  expect(coloured).toContain(`${start}[1mRecommendation${start}[22m`)
  expect(text()).not.toContain(start)
})
