import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRefusalTables, productSources, refusalFaults } from '../scripts/refusal-tables.ts'
import { ERROR_CODES } from '../server/contract/errors.ts'

const tables = await loadRefusalTables()

test('every error that is thrown has a row, and every row is thrown', () => {
  assert.deepEqual(refusalFaults(tables, productSources()), [])
})

test('every file that defines refusals is a table', () => {
  const defining = [...productSources()].filter(([, text]) => /^export const refusals = /m.test(text))

  assert.deepEqual(defining.map(([file]) => file).sort(), tables.map(({ file }) => file).sort())
})

test('every row has a code of the closed list and names one reason, and a message is a sentence on one line', () => {
  const rows = tables.flatMap(({ rows }) => [...rows.values()])

  assert.ok(rows.length > 100, `${rows.length}`)
  for (const { code, reason, message, next = '' } of rows) {
    assert.ok(ERROR_CODES.includes(code) || reason === 'limit_exceeded', code)
    assert.match(reason, /^[a-z0-9_]+$/)
    assert.match(`${message} ${next}`, /^[^\n]+$/, reason)
  }
})

test('an error without a row and a row that nothing throws are found', () => {
  const rows = new Map([
    ['used', { code: 'invalid', reason: 'used', message: 'Used.' }],
    ['unused', { code: 'invalid', reason: 'unused', message: 'Unused.' }],
  ] as const)
  const planted = new Map([
    ['server/http/refusals.ts', ''],
    ['server/http/a.ts', "import { refusals } from './refusals.ts'\nthrow refusals.used()"],
    ['server/http/b.ts', "throw new SatchelError('invalid', 'no_row', 'No row.') // unused"],
    ['server/other.ts', "const other = { unused: 'unused' }"],
  ])

  const faults = refusalFaults([{ title: 'HTTP', file: 'server/http/refusals.ts', rows }], planted)

  assert.deepEqual(faults, [
    'server/http/b.ts: throws a SatchelError that has no row',
    'server/http/refusals.ts: nothing uses the row unused',
  ])
})
