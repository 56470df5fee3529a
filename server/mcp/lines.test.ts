import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLineReader, LINE_MAX_BYTES, type Line } from './lines.ts'

function read(chunks: readonly Buffer[]): Line[] {
  const lines: Line[] = []
  const push = createLineReader((line) => lines.push(line))
  for (const chunk of chunks) push(chunk)
  return lines
}

test('however the bytes are cut, the same lines are found', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n') && text.trim() !== '')
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(400)), fc.constantFrom('\n', '\r\n'), (texts, cuts, end) => {
      const bytes = Buffer.from(texts.map((text) => `${text}${end}`).join(''))
      const at = [...new Set(cuts.filter((cut) => cut < bytes.length))].sort((a, b) => a - b)
      const chunks = [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))

      assert.deepEqual(
        read(chunks),
        texts.map((text) => ({ kind: 'text', text: text.replace(/^\ufeff/, '').trim() })),
      )
    }),
  )
})

test('a line of 10 MiB passes, one byte more is refused once and skipped', () => {
  const full = Buffer.alloc(LINE_MAX_BYTES, 0x78)

  const lines = read([full, Buffer.from('\n'), full, Buffer.from('xyz'), full, Buffer.from('\nafter\n')])

  assert.deepEqual(
    lines.map((line) => (line.kind === 'text' ? line.text.length : line.kind)),
    [LINE_MAX_BYTES, 'too_long', 5],
  )
})

test('bytes that are not UTF-8 are one bad line, and an unfinished last line is none', () => {
  const lines = read([Buffer.from([0xff, 0x0a]), Buffer.from('good\nunfinished')])

  assert.deepEqual(lines, [{ kind: 'not_utf8' }, { kind: 'text', text: 'good' }])
})
