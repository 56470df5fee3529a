import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realDisk } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { rowOfOccurrence } from '../domain/occurrence.ts'
import { rowOf, searchText } from '../domain/record-row.ts'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'
import { layoutOf } from './layout.ts'
import { segmentOf } from './open-segment.ts'
import { createPieces } from './pieces.ts'
import { tableOf } from './record-table.ts'
import { written } from './saved-index.ts'
import { createSegmentBuilder } from './segment.ts'
import { fieldsOf, indexedFile } from './segment-columns.ts'

function fileOf(n: number, bytes = 1300) {
  const record = sampleRecord(n, bytes)
  const name = `${sampleId(n)}.json`
  return indexedFile({
    name,
    mtimeMs: n,
    size: bytes,
    row: rowOf(record, `.handoffs/records/${name}`, n),
    fields: fieldsOf(searchText(record)),
  })
}

function segmentWith(builder: ReturnType<typeof createSegmentBuilder>, numbers: readonly number[]): Buffer {
  for (const n of numbers) builder.add(fileOf(n))
  return Buffer.from(builder.bytes())
}

test('a builder makes one segment after another, each as a new builder makes it', async () => {
  const builder = createSegmentBuilder()
  const [many, few] = [Array.from({ length: 300 }, (_, n) => n), [400, 401, 7]]

  const one = segmentWith(builder, many)
  const other = segmentWith(builder, few)

  assert.equal(builder.count, 0)
  assert.deepEqual(one, segmentWith(createSegmentBuilder(), many))
  assert.deepEqual(other, segmentWith(createSegmentBuilder(), few))
  const table = tableOf([{ segment: segmentOf(other), replaced: undefined }])
  const occurrences = table.batches[0]?.occurrences('record', false) ?? []
  assert.deepEqual([...new Set(Array.from(occurrences, rowOfOccurrence))], [0, 1, 2])
})

test('a segment goes to its file in a store whose cache folder does not exist yet', async (t: TestContext) => {
  const root = temporaryFolderSync(t)
  const layout = layoutOf(root, join(root, '.handoffs'))
  mkdirSync(layout.records, { recursive: true })

  const segment = await written(realDisk, layout, segmentWith(createSegmentBuilder(), [1, 2]))

  assert.ok(segment.file && existsSync(join(layout.cache, segment.file)))
  assert.equal(segment.bytes, undefined)
  assert.equal(segment.count, 2)
})

test('pieces hold bytes of any length in their order, again after they were cleared', () => {
  const pieces = createPieces()
  for (const size of [0, 5, 64 * 1024 - 5, 1, 200_000]) {
    const bytes = Buffer.alloc(size, size % 251)

    assert.equal(pieces.add(Buffer.from('abc')), 0)
    assert.equal(pieces.add(bytes), 3)
    assert.deepEqual(Buffer.concat(pieces.pieces()), Buffer.concat([Buffer.from('abc'), bytes]))
    pieces.clear()
  }
})

test('files of other segments give the same segment as the files themselves, without those that were replaced', () => {
  const first = segmentOf(segmentWith(createSegmentBuilder(), [5, 1, 3, 2, 4]))
  const other = segmentOf(segmentWith(createSegmentBuilder(), [9, 7]))
  const builder = createSegmentBuilder(4)
  builder.addSegment(first, Uint8Array.of(0, 1, 0, 0, 1))
  builder.addSegment(other, Uint8Array.of(1, 0))

  assert.equal(builder.count, 4)
  assert.deepEqual(Buffer.from(builder.bytes()), segmentWith(createSegmentBuilder(), [5, 3, 2, 7]))
})
