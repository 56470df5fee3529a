import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableDiff } from './diff-lines.ts'

const LONG = 'x'.repeat(5000)

test('of a long line the change is shown whole, with what is beside it', () => {
  const entry = `"satchel":{"args":[${'"a",'.repeat(100)}"z"]}`

  const [removed = '', added = ''] = readableDiff([
    `-{"a":"${LONG}","b":"${LONG}"}`,
    `+{"a":"${LONG}",${entry},"b":"${LONG}"}`,
  ])

  assert.ok(added.includes(entry))
  assert.ok(added.length < entry.length + 100 && removed.length < 100, `${removed.length}, ${added.length}`)
  assert.match(removed, /^-… x{30,}","b":"x{30,} …$/)
})

test('lines of a new file are shown whole, names and context as they are', () => {
  const lines = ['--- /dev/null', '+++ ~/a', '@@ -1,1 +1,2 @@', ' before', `+${LONG}`, '+two', ' after']

  assert.deepEqual(readableDiff(lines), lines)
  assert.deepEqual(readableDiff([' same', '-one', '+One', ' more']), [' same', '-one', '+One', ' more'])
  assert.ok((readableDiff([` ${LONG}`])[0]?.length ?? 0) < 200)
})
