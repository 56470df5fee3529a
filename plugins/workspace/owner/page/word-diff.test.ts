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
