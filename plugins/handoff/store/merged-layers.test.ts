import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowOf, searchText } from '../domain/record-row.ts'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'
import { type Layer, withSegment } from './layers.ts'
import { withFewSmall, withFewUnsaved } from './merged-layers.ts'
import { type Segment, segmentOf } from './open-segment.ts'
import { tableOf } from './record-table.ts'
import { createSegmentBuilder } from './segment.ts'
import { fieldsOf, indexedFile } from './segment-columns.ts'

function segmentWith(...numbers: readonly number[]): Segment {
  const builder = createSegmentBuilder(numbers.length)
  for (const n of numbers) {
    const record = sampleRecord(n, 1300)
    const name = `${sampleId(n)}.json`
    const row = rowOf(record, `.handoffs/records/${name}`, n)
    builder.add(indexedFile({ name, mtimeMs: n, size: 1300, row, fields: fieldsOf(searchText(record)) }))
  }
  return segmentOf(Buffer.from(builder.bytes()))
}

/** As if it were in a file. */
function savedWith(...numbers: readonly number[]): Layer {
  const { bytes: _bytes, ...segment } = segmentWith(...numbers)
  return { segment: { ...segment, file: `segment-${numbers.join('-')}` }, replaced: undefined }
}

const idsIn = (layers: readonly Layer[]) => {
  const table = tableOf(layers)
  return Array.from(table.records, (record) => table.id(record)).sort()
}
const idsOf = (count: number) => Array.from({ length: count }, (_, n) => sampleId(n))

test('of many writes few segments are left, each file once, and saved ones are left alone', () => {
  const saved = savedWith(...Array.from({ length: 20 }, (_, n) => n))
  let layers: readonly Layer[] = [saved]
  let most = 0
  for (let n = 0; n < 200; n++) {
    layers = withFewUnsaved(withSegment(layers, segmentWith(n % 100)))
    most = Math.max(most, layers.length)
  }

  assert.ok(most <= 9, `${most} segments`)
  assert.equal(layers[0]?.segment, saved.segment)
  assert.deepEqual(idsIn(layers), idsOf(100))
})

test('what is saved joins small segments, and a larger one only where there are too many', () => {
  const large = savedWith(...Array.from({ length: 10 }, (_, n) => n))
  const unsaved = [10, 11, 12].map((n) => ({ segment: segmentWith(n), replaced: undefined }))
  const single = [13, 14, 15, 16, 17, 18].map((n) => savedWith(n))

  const few = withFewSmall([large, ...unsaved])
  const many = withFewSmall([large, ...single, ...unsaved])

  assert.deepEqual(
    few.map(({ segment }) => segment.count),
    [10, 3],
  )
  assert.deepEqual(idsIn(few), idsOf(13))
  assert.deepEqual(
    many.map(({ segment }) => segment.count),
    [10, 9],
  )
  assert.deepEqual(idsIn(many), idsOf(19))
})

test('a segment whose files were all replaced is left out', () => {
  const layers = withSegment([{ segment: segmentWith(0, 1), replaced: undefined }], segmentWith(1, 0))

  const left = withFewUnsaved(layers)

  assert.equal(left.length, 1)
  assert.deepEqual(idsIn(left), idsOf(2))
})
