import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memorySource, openSectionFile, sectionFileBytes } from './section-file.ts'

const BYTES = Uint8Array.from({ length: 50_001 }, (_, n) => n * 7)

test('a section in pieces is the section in one piece', () => {
  const pieces = [
    BYTES.subarray(0, 3),
    BYTES.subarray(3, 3),
    BYTES.subarray(3, 40_000),
    BYTES.subarray(40_000),
  ]

  const whole = sectionFileBytes({ of: 'a test' }, { first: new Uint8Array(5), second: BYTES })
  const inPieces = sectionFileBytes({ of: 'a test' }, { first: new Uint8Array(5), second: pieces })

  assert.ok(whole.equals(inPieces))
  const file = openSectionFile(memorySource(inPieces))
  assert.deepEqual(file.meta, { of: 'a test' })
  assert.ok(file.whole('second').equals(BYTES))
  assert.ok(file.read('second', 30_000, 45_000).equals(BYTES.subarray(30_000, 45_000)))
  assert.equal(file.whole('second').byteOffset % 8, 0)
})

test('an empty file has its sections too', () => {
  const file = openSectionFile(memorySource(sectionFileBytes({}, { none: [] })))

  assert.equal(file.lengthOf('none'), 0)
  assert.equal(file.whole('none').length, 0)
})
