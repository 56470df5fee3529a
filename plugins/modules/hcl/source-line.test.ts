import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceLine } from './source-line.ts'

const CASES: readonly (readonly [text: string, line: string])[] = [
  ['map(object({ # comment\n  a = string\n}))', 'map(object({ a = string }))'],
  [
    'object({\n  a = string // one\n  /* two\n     lines */\n  b = number\n})',
    'object({ a = string b = number })',
  ],
  ['optional(string, "a # b // c /* d */")', 'optional(string, "a # b // c /* d */")'],
  ['"${lookup(x, "k # l")}" # m', '"${lookup(x, "k # l")}"'],
  ['"a \\" # b" # c', '"a \\" # b"'],
  ['a/b /* c */ / d', 'a/b / d'],
  ['<<-EOT\n  # kept\n  EOT\n', '<<-EOT # kept EOT'],
  ['a # only', 'a'],
  ['"open # x', '"open # x'],
  ['', ''],
]

test('source text on one line has no comments, and what a string holds is none', () => {
  for (const [text, line] of CASES) assert.equal(sourceLine(text), line, text)
})
