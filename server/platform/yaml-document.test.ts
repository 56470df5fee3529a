import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseYaml } from './yaml-document.ts'

const many = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')
const verdict = (text: string): string => {
  const read = parseYaml(text)
  return read.kind === 'document' ? 'document' : read.message
}
const seconds = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

const DEEP: Readonly<Record<string, string>> = {
  '20,000 open braces': '{'.repeat(20_000),
  'a million open brackets': '['.repeat(1_000_000),
  'braces and brackets by turns': '{a: ['.repeat(20_000),
  'dashes in one line': '- '.repeat(20_000),
  'explicit keys in one line': '? '.repeat(20_000),
  'mappings in one line': 'a: '.repeat(20_000),
  'dashes before braces': `${'- '.repeat(60)}${'{a: '.repeat(60)}`,
  'indented lines': many(1_400, (at) => `${' '.repeat(at)}a:`),
  'indented dashes': many(1_400, (at) => `${' '.repeat(at)}-`),
  'braces in a block': `a:\n  b:\n    - ${'['.repeat(101)}`,
}
const LARGE: Readonly<Record<string, string>> = {
  'keys in a mebibyte': many(87_000, (at) => `key${at}: 1`),
  'items in a flow list': `[${'a,'.repeat(500_000)}]`,
  'commas in a flow list': `[${','.repeat(900_000)}`,
  anchors: many(60_000, (at) => `k${at}: &a${at} x`),
}
const PLAIN: Readonly<Record<string, string>> = {
  'a hundred brackets': `${'['.repeat(98)}${']'.repeat(98)}`,
  'braces in strings': `a: "${'{'.repeat(5_000)}"\nb: '${'['.repeat(5_000)}'\nc: |\n  ${'{'.repeat(5_000)}\n# ${'{'.repeat(5_000)}`,
  'ordinary blocks': many(500, (at) => `k${at}:\n  - a: 1\n    b: [1, 2]\n  - {c: 3}`),
  'a long text': `a: ${'x'.repeat(1_000_000)}`,
}

describe('YAML', () => {
  for (const [name, text] of Object.entries(DEEP)) {
    it(`is refused before it is parsed when it is too deep: ${name}`, () => {
      const used = seconds(() => assert.equal(verdict(text), 'it nests deeper than 100 levels'))

      assert.ok(used < 1, `${used} s`)
    })
  }

  for (const [name, text] of Object.entries(LARGE)) {
    it(`is refused before it is parsed when it has too many parts: ${name}`, () => {
      const used = seconds(() => assert.equal(verdict(text), 'it has more than 20000 parts'))

      assert.ok(used < 1, `${used} s`)
    })
  }

  for (const [name, text] of Object.entries(PLAIN)) {
    it(`is read: ${name}`, () => assert.equal(verdict(text), 'document'))
  }

  it('is read in linear time: distinct keys', () => {
    const keys = (count: number): string => many(count, (at) => `key${at}: 1`)
    parseYaml(keys(500))
    const small = seconds(() => parseYaml(keys(1_500)))
    const large = seconds(() => assert.equal(verdict(keys(6_000)), 'document'))

    assert.ok(large < 12 * small + 0.1, `${small} s for a quarter, ${large} s for all`)
  })

  it('names the second of two equal keys, at any depth, and accepts equal keys of different mappings', () => {
    const read = parseYaml('a:\n  - b: 1\n    c: 2\n    b: 3\n')

    assert.deepEqual(read, { kind: 'problem', message: 'Map keys must be unique', line: 4, column: 5 })
    assert.equal(verdict('a: {x: 1}\nb: {x: 1}\n'), 'document')
    assert.equal(verdict('? {x: 1, x: 2}\n: 1\n'), 'Map keys must be unique')
  })

  it('says what is wrong without its place, which is told apart, and without words for programmers', () => {
    assert.deepEqual(parseYaml('a: "b\n'), {
      kind: 'problem',
      message: 'Missing closing "quote',
      line: 2,
      column: 1,
    })
    assert.equal(verdict('a: 1\n---\nb: 2\n'), 'More than one document is in it')
  })
})
