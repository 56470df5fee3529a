import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutWanted, withWanted } from './config-edits.ts'
import { linesFormat } from './lines-format.ts'

const WANTED = [
  { kind: 'member', place: ['lines', '[merge "x"] driver'], value: { value: '"/a b/\\"node\\" m %O"' } },
  { kind: 'member', place: ['lines', 'a/*.json merge'], value: { value: 'x' } },
] as const
const TEXTS = [
  '',
  '# only = a comment\n',
  '[core]\n\tbare = false\n[remote "o"]\n\turl = a=b\n\turl = c\n',
  '[core]\r\n\tbare = false\r\n',
  '*.lock -diff\n\n*.md text',
]

test('lines are put in once, after what is there, and taken out without a trace', () => {
  for (const text of TEXTS) {
    const put = withWanted(linesFormat, text, WANTED)
    const back = withoutWanted(linesFormat, put, WANTED, undefined)

    assert.ok(put.startsWith(text), text)
    assert.equal(withWanted(linesFormat, put, WANTED), put)
    assert.equal(back, text === '' || text.endsWith('\n') ? text : `${text}\n`)
    assert.equal(put.split('\r\n').length > 1, text.includes('\r\n'))
  }
})

test('a line of the same key gets the value', () => {
  const put = withWanted(linesFormat, 'a/*.json merge=y\nb=c\n', [WANTED[1]])

  assert.equal(put, 'b=c\na/*.json merge=x\n')
})
