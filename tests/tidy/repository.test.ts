/** Things that would make a clone behave differently from the one they were written in. */
import { expect, test } from 'vitest'
import { allPaths, filesWhere, isTest } from './files.ts'

const isText = (path: string) =>
  /\.(ts|tsx|mjs|js|json|md|yml|yaml|css|html|csv|sh|sql)$|(^|\/)[^.]+$/.test(path)

test('tidy: the lock file names no registry, so that every clone uses its own', () => {
  const [lock] = filesWhere((path) => path === 'package-lock.json')
  expect(lock?.text.match(/"resolved": "https?:[^"]*"/g) ?? []).toEqual([])
  const settings = filesWhere((path) => path.endsWith('.npmrc')).map(({ text }) => text)
  expect(settings.filter((text) => /^\s*(@\w+:)?registry\s*=/m.test(text))).toEqual([])
})

test('tidy: no file names a folder of one machine', () => {
  const folders = ['work', 'root', 'tmp/wt', 'Users/\\w+', 'home/(?!node\\b)\\w+'].join('|')
  const machinePath = new RegExp(`(^|[\\s"'\`(=:])/(${folders})/`, 'm')
  const found = filesWhere(isText).flatMap(({ path, text }) => {
    const match = machinePath.exec(text)
    return match === null
      ? []
      : [`${path}: names ${match[0].trim()}: use a path relative to the file or the clone`]
  })
  expect(machinePath.test(`see ${['', 'work', 'x.csv'].join('/')}`)).toBe(true)
  expect(found).toEqual([])
})

test('tidy: every dependency has one exact version', () => {
  const found = filesWhere((path) => /(^|\/)package\.json$/.test(path)).flatMap(({ path, text }) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text)
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))
      .map(([name, version]) => `${path}: ${name} is "${version}": pin it (npm install --save-exact)`)
  })
  expect(found).toEqual([])
})

test('tidy: every example is run by a test, and every example that is spoken of is there', () => {
  const examples = allPaths.filter((path) => path.startsWith('examples/') && /\.(json|csv)$/.test(path))
  const tests = filesWhere((path) => isTest(path) && /\.ts$/.test(path)).map(({ text }) => text)
  const name = (path: string) => path.split('/').at(-1) ?? path
  const unused = examples.filter((path) => !tests.some((text) => text.includes(name(path))))
  expect(unused.map((path) => `${path}: no test runs it; run it in one, so that it cannot rot`)).toEqual([])

  const spoken = filesWhere((path) => /\.(md|mjs|ts|tsx|json)$/.test(path)).flatMap(({ path, text }) =>
    [...text.matchAll(/\bexamples\/(?:plans|tables)\/[\w.-]+\.(?:json|csv)\b/g)].map((match) => ({
      path,
      example: match[0],
    })),
  )
  const missing = spoken.filter(({ example }) => !allPaths.includes(example))
  expect(missing.map(({ path, example }) => `${path}: speaks of ${example}, which is not there`)).toEqual([])
})
