import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DiffRow, wordDiff } from './word-diff.ts'

const piecesOf = (rows: readonly DiffRow[]) =>
  rows.flatMap((row) => (row.kind === 'changed' ? row.pieces : []))

function side(rows: readonly DiffRow[], kind: 'ins' | 'del'): string {
  return rows
    .map((row) =>
      row.kind === 'same'
        ? row.lines.join('')
        : row.pieces
            .filter((piece) => piece.kind === 'same' || piece.kind === kind)
            .map(({ text }) => text)
            .join(''),
    )
    .join('')
}

test('a changed word is marked alone, in its line', () => {
  const rows = wordDiff('# Plan\n\nShip it in May, please.\n', '# Plan\n\nShip it in June, please.\n')

  assert.deepEqual(
    piecesOf(rows).filter(({ kind }) => kind !== 'same'),
    [
      { kind: 'del', text: 'May' },
      { kind: 'ins', text: 'June' },
    ],
  )
})

test('a line with another meaning is shown whole, not as a quilt of words', () => {
  const rows = wordDiff('The quick brown fox jumps.\n', 'Invoices are due within thirty days of receipt.\n')

  assert.deepEqual(
    piecesOf(rows).map(({ kind }) => kind),
    ['del', 'ins'],
  )
})

test('a removed heading is named, a renumbered one is not', () => {
  const lost = wordDiff('## Goals\none\n## Risks\ntwo\n', '## Goals\none\ntwo\n')
  const kept = wordDiff('## Goals\none\n', '### Goals\none\n')
  const headings = (rows: readonly DiffRow[]) =>
    rows.flatMap((row) => (row.kind === 'changed' ? row.lostHeadings : []))

  assert.deepEqual([headings(lost), headings(kept)], [['Risks'], []])
})

test('both texts can be read from the rows', () => {
  const line = fc.constantFrom('# Plan', 'a b c', 'a x c', '', '- [ ] task', 'long '.repeat(20))
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const rows = wordDiff(before, after)
      assert.equal(side(rows, 'del').replaceAll(/\s+/g, ' '), before.replaceAll(/\s+/g, ' '))
      assert.equal(side(rows, 'ins'), after)
    }),
  )
})

test('texts that share no line, of 20,000 lines each, take no second', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}\n`).join('')
  const { user } = process.cpuUsage()
  const rows = wordDiff(many('old'), many('new'))

  assert.ok(process.cpuUsage().user - user < 1_000_000)
  assert.equal(rows.length, 1)
})

const ONE_CHARACTER = {
  'a member of a family': [
    'The \u{1f469}\u200d\u{1f469}\u200d\u{1f467} ships it',
    '\u{1f469}\u200d\u{1f469}\u200d\u{1f466}',
  ],
  'a skin tone': ['Well done \u{1f44d}\u{1f3fd} to all', '\u{1f44d}\u{1f3ff}'],
  'a flag': ['Made in \u{1f1e9}\u{1f1ea} in May', '\u{1f1e9}\u{1f1f0}'],
  'an accent': ['The cafe\u0301 is open', 'cafe'],
  'a Hebrew word': ['first \u05e2\u05d5\u05dc\u05dd last', '\u05dc\u05da'],
  'a Hindi word': ['first \u0928\u092e\u0938\u094d\u0924\u0947 last', '\u0928\u092e\u0928'],
} as const

for (const [what, [before, now]] of Object.entries(ONE_CHARACTER)) {
  test(`a change of ${what} is shown whole`, () => {
    const old = before.split(' ').find((word) => /[^\u0000-\u007f]/.test(word)) ?? ''

    const [row] = wordDiff(`${before}\n`, `${before.replace(old, now)}\n`)

    const changed = row?.kind === 'changed' ? row.pieces.filter(({ kind }) => kind !== 'same') : []
    assert.deepEqual(changed, [
      { kind: 'del', text: old },
      { kind: 'ins', text: now },
    ])
  })
}
