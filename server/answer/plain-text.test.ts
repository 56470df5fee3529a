import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { plainText } from './plain-text.ts'
import { terminalText } from './terminal-text.ts'

/** Every name and value in JSON data, as text. */
function leavesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf)
  if (typeof value !== 'object' || value === null) return value === null ? [] : [String(value)]
  return Object.entries(value).flatMap(([name, member]) => [name, ...leavesOf(member)])
}

const name = fc.stringMatching(/^[a-z_]{1,8}$/)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.stringMatching(/^[ -~]{0,40}$/),
    fc.stringMatching(/^[a-z]{0,9}\n[a-z]{0,9}$/),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 6 }),
    fc.dictionary(name, tie('any'), { maxKeys: 6 }),
  ),
})).any
const data = fc.dictionary(name, value, { maxKeys: 6 })

describe('the text of an answer', () => {
  test('says every name and value of the data', () => {
    fc.assert(
      fc.property(data, (given) => {
        const text = plainText(given)

        for (const leaf of leavesOf(given))
          assert.ok(text.includes(leaf.replace(/\n$/, '')), `${leaf} is missing`)
      }),
    )
  })

  test('for a person says the same at every width', async () => {
    await fc.assert(
      fc.asyncProperty(data, fc.constantFrom(undefined, 30, 80, 200), async (given, columns) => {
        const text = await terminalText('', given, { columns, color: false })

        // Wrapping moves parts of a value to other lines, between cells of other columns.
        const letters = (each: string): string => [...each.replace(/\s/g, '')].sort().join('')
        const have = letters(text)
        for (const leaf of leavesOf(given)) {
          const isThere =
            columns === undefined
              ? text.includes(leaf.replace(/\n$/, ''))
              : [...letters(leaf)].every((letter) => have.includes(letter))
          assert.ok(isThere, `${leaf} is missing`)
        }
      }),
    )
  })

  test('a list of flat objects is a table, and a longer one a numbered list', () => {
    const row = (at: number) => ({ name: `n${at}`, type: 'string', required: at === 0 })

    assert.equal(
      plainText({ inputs: [row(0), row(1), row(2)] }),
      'inputs (3):\nname | type | required\nn0 | string | true\nn1 | string | false\nn2 | string | false',
    )
    assert.equal(plainText({ inputs: [row(0)] }), 'inputs (1):\n1. name: n0 | type: string | required: true')
  })

  test('a document keeps its lines byte for byte between two marks', () => {
    assert.equal(
      plainText({ content: '# Plan\n\n  - a\n' }),
      '--- content (3 lines)\n# Plan\n\n  - a\n--- end of content',
    )
  })

  test('a table fits the width of the terminal and wraps what is longer', async () => {
    const rows = Array.from({ length: 3 }, (_, at) => ({
      id: `r${at}`,
      description: 'some words '.repeat(20).trim(),
    }))

    const text = await terminalText('three rows', { rows }, { columns: 60, color: false })

    assert.ok(
      text.split('\n').every(({ length }) => length <= 60),
      text,
    )
    assert.equal(text.match(/some words/g)?.length, 60)
  })

  test('a table of more rows than one call takes is printed', async () => {
    const rows = Array.from({ length: 150_000 }, (_, at) => ({ id: at, name: 'n' }))

    const text = await terminalText('many rows', { rows }, { columns: undefined, color: false })

    assert.match(text, /\n {2}149999 +n$/)
  })

  test('hidden characters of data cannot control the terminal', async () => {
    const text = await terminalText(
      'a\u202eb',
      { note: '\u001b[2Jcleared\u202e' },
      { columns: 80, color: false },
    )

    assert.doesNotMatch(text, /[\u001b\u202e]/)
    assert.match(text, /\\u\{1b\}\[2Jcleared\\u\{202e\}/)
  })
})
