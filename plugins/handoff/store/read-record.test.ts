import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'
import { parseRecent, parseRecord } from './read-record.ts'

const pathOf = (n: number) => `.handoffs/records/${sampleId(n)}.json`
const bytesOf = (n: number, title = `Record ${n}`) => {
  const record = sampleRecord(n, 1300)
  return Buffer.from(JSON.stringify({ ...record, work: { ...record.work, title } }))
}

test('bytes are parsed once, and one other byte makes another record', () => {
  const first = parseRecent(bytesOf(1), pathOf(1), 1)
  const again = parseRecent(bytesOf(1), pathOf(1), 2)
  const other = parseRecent(bytesOf(1, 'Record 2'), pathOf(1), 2)

  assert.equal(again.document, first.document)
  assert.deepEqual(again, parseRecord(bytesOf(1), pathOf(1), 2))
  assert.deepEqual(other, parseRecord(bytesOf(1, 'Record 2'), pathOf(1), 2))
})

test('bytes without a record have a problem in each of the files that hold them', () => {
  const [good, bad] = [bytesOf(1), Buffer.from('{"id":')]
  parseRecent(good, pathOf(1), 1)

  for (const bytes of [good, bad, bad, Buffer.from([0xff]), Buffer.from('{}')]) {
    const found = parseRecent(bytes, pathOf(2), 1)

    assert.deepEqual(found, parseRecord(bytes, pathOf(2), 1))
    assert.equal(found.kind === 'broken' && found.problem.path, pathOf(2))
  }
})
