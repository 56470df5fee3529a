import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeRecord, type JournalRecord, scanJournal } from './journal-record.ts'

const GENERATION = 7
const FIRST = 41

/** A record of `seq` that was appended when everything up to `durable` was on disk. */
function recordOf(seq: number, durable = seq - 1): JournalRecord {
  return { seq, durable, steps: [[3, [seq, 'a text', null, 1.5]]] }
}

/** Four records, each durable before the next was appended, and zeros behind them. */
function journal(generation = GENERATION): { bytes: Buffer; starts: number[] } {
  const records = [0, 1, 2, 3].map((index) => encodeRecord(generation, recordOf(FIRST + index)))
  const starts = records.map((_, index) =>
    records.slice(0, index).reduce((sum, found) => sum + found.length, 0),
  )
  return { bytes: Buffer.concat([...records, Buffer.alloc(4096)]), starts }
}

test('what was written is read back, in order, up to the zeros', () => {
  const { bytes } = journal()

  const scan = scanJournal(bytes, GENERATION, FIRST)

  assert.deepEqual(
    scan.records,
    [0, 1, 2, 3].map((index) => recordOf(FIRST + index)),
  )
  assert.deepEqual(scan.end, { kind: 'end' })
})

test('a record brings its texts, those in files and those given up, to the last character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const record: JournalRecord = {
        ...recordOf(FIRST),
        texts: [
          ['aa', text],
          ['bb', null],
        ],
        drops: ['cc'],
      }
      const bytes = Buffer.concat([encodeRecord(GENERATION, record), Buffer.alloc(64)])

      assert.deepEqual(scanJournal(bytes, GENERATION, FIRST).records, [record])
    }),
  )
})

test('the payload is the JSON of the whole record, whether the bytes of a text are known or not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.boolean(), (given, isKnown) => {
      const text = given.toWellFormed() // as the store makes every text
      const record = { seq: FIRST, durable: 40, steps: [[3, [text]]] as const }
      const change = { texts: [['aa', text]] as const, drops: ['cc'] }
      const contentOf = (): Buffer | undefined => (isKnown ? Buffer.from(text) : undefined)

      const bytes = encodeRecord(GENERATION, { ...record, ...change, contentOf })

      const json = JSON.stringify({ f: 40, s: record.steps, b: change.texts, d: change.drops })
      assert.equal(bytes.toString('utf8', 16), json)
      assert.equal(bytes.readBigUInt64LE(8), BigInt(FIRST))
    }),
  )
})

test('the last record cut at any byte: all before it is there', () => {
  const { bytes, starts } = journal()
  const last = starts[3] ?? 0

  const end = last + encodeRecord(GENERATION, recordOf(FIRST + 3)).length

  for (let cut = last; cut < end; cut += 1) {
    const scan = scanJournal(bytes.subarray(0, cut), GENERATION, FIRST)
    assert.equal(scan.records.length, 3, `cut at ${cut - last}`)
    assert.notEqual(scan.end.kind, 'damaged')
  }
})

test('the last record with any byte garbled: all before it is there, and the room opens', () => {
  const { bytes, starts } = journal()
  const last = starts[3] ?? 0
  const end = last + encodeRecord(GENERATION, recordOf(FIRST + 3)).length

  for (let at = last; at < end; at += 1) {
    const garbled = Buffer.from(bytes)
    garbled[at] = (garbled[at] ?? 0) ^ 0x40
    const scan = scanJournal(garbled, GENERATION, FIRST)
    assert.equal(scan.records.length, 3, `byte ${at - last}`)
    assert.equal(scan.end.kind, 'torn')
  }
})

test('an acknowledged record with any byte garbled: damage, with its place and number', () => {
  const { bytes, starts } = journal()
  const [, second = 0, third = 0] = starts

  for (let at = second; at < third; at += 1) {
    const garbled = Buffer.from(bytes)
    garbled[at] = (garbled[at] ?? 0) ^ 0x01
    const scan = scanJournal(garbled, GENERATION, FIRST)
    assert.deepEqual(scan.end, { kind: 'damaged', offset: second, seq: FIRST + 1 }, `byte ${at - second}`)
  }
})

test('an unsynced group whose sectors landed out of order is a torn tail', () => {
  const group = [0, 1, 2].map((index) => encodeRecord(GENERATION, recordOf(FIRST + index, FIRST - 1)))
  const bytes = Buffer.concat([...group, Buffer.alloc(4096)])
  bytes.fill(0, 0, group[0]?.length)

  const scan = scanJournal(bytes, GENERATION, FIRST)

  assert.equal(scan.records.length, 0)
  assert.equal(scan.end.kind, 'torn')
})

test('records of another generation are never read', () => {
  const { bytes } = journal(GENERATION - 1)

  const scan = scanJournal(bytes, GENERATION, FIRST)

  assert.equal(scan.records.length, 0)
  assert.equal(scan.end.kind, 'torn')
})

test('no text can pass for a record', () => {
  const forged = encodeRecord(GENERATION, recordOf(FIRST + 1, FIRST + 1))
  const carrier: JournalRecord = { seq: FIRST, durable: 0, steps: [[1, [forged.toString('latin1')]]] }
  const bytes = Buffer.concat([encodeRecord(GENERATION, carrier), Buffer.alloc(64)])
  bytes[20] = (bytes[20] ?? 0) ^ 1

  assert.equal(scanJournal(bytes, GENERATION, FIRST).end.kind, 'torn')
})

test('any bytes at all are scanned without an error, and nothing is invented', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (noise) => {
      const scan = scanJournal(Buffer.from(noise), GENERATION, FIRST)
      assert.deepEqual(scan.records, [])
      assert.notEqual(scan.end.kind, 'damaged')
    }),
  )
})
