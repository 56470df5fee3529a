import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseIndexText } from './index-lines.ts'

/** A file as `saveIndex` writes it, of several parts that are parsed together. */
function fileOf(texts: readonly string[]): string {
  const lines = texts.map((text, at) => JSON.stringify({ id: `${at}`.padStart(64, '0'), text }))
  return `{"format":1,"repositories":[],"records":[\n${lines.join(',\n')}\n]}\n`
}

/** What a hand or another program does to a file, with what it leaves valid and what it does not. */
const EDITS: Readonly<Record<string, (text: string) => string>> = {
  nothing: (text) => text,
  'a space behind a comma': (text) => text.replaceAll(',\n', ', \n'),
  'a space behind a record': (text) => text.replaceAll('},\n', '} ,\n'),
  'two records in a line': (text) => text.replace(',\n', ','),
  'a record in two lines': (text) => text.replace(',"text"', ',\n"text"'),
  'both of these': (text) => text.replace(',\n', ',').replace(/,"text"(?!.*,"text")/s, ',\n"text"'),
  'a member behind the records': (text) => text.replace(/\n\]\}\n$/, '],"more":[1\n]}\n'),
  'a number among the records': (text) => text.replace(',\n', ',\n1,\n'),
  'an id with an escape': (text) => text.replace('"id":"0', '"id":"\\u0030'),
  'no comma': (text) => text.replace(',\n', '\n'),
  'a comma too many': (text) => text.replace(/\n\]\}\n$/, ',\n]}\n'),
  'a record cut off': (text) => text.replace('"}', '"'),
  'an end cut off': (text) => text.slice(0, -4),
}

const SIZES = [0, 1, 2, 40, 3000]
const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 9 })

test('an edited file is read as JSON reads it, and lines are told only where each is a record', () => {
  const edits = fc.constantFrom(...Object.keys(EDITS))
  fc.assert(
    fc.property(texts, fc.constantFrom(...SIZES), edits, (some, size, edit) => {
      const all = Array.from({ length: size }, (_, at) => some[at % some.length] ?? '')
      const bytes = Buffer.from(EDITS[edit]?.(fileOf(all)) ?? '')
      const wanted = resultOf(() => JSON.parse(bytes.toString()))

      assert.deepEqual(
        resultOf(() => parseIndexText(bytes).value),
        wanted,
      )
      if (wanted === undefined) return
      const { value, starts } = parseIndexText(bytes)
      const { records } = value as { readonly records: readonly unknown[] }
      if (edit === 'nothing') assert.equal(starts?.length, size + 1)
      for (const [at, record] of starts === undefined ? [] : records.entries()) {
        const line = bytes.toString('utf8', starts?.[at], (starts?.[at + 1] ?? 0) - (at === size - 1 ? 1 : 2))
        assert.equal(line, JSON.stringify(record))
      }
    }),
    { numRuns: 400 },
  )
})

function resultOf(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (thrown) {
    assert.ok(thrown instanceof SyntaxError)
    return undefined
  }
}
