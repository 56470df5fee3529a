import { crc32 } from 'node:zlib'
import type { RecordRow } from '../domain/record-row.ts'
import { type Layer, layerIn, rowIn } from './layers.ts'
import { DamagedSegment, type Segment } from './open-segment.ts'
import type { Problem } from './read-record.ts'

/** What a segment keeps of a file as text. */
export interface RowContent {
  readonly name: string
  readonly row?: RecordRow
  readonly problem?: Problem
}

export function contents(layers: readonly Layer[], rows: readonly number[]): readonly RowContent[] {
  const parts = blobs(layers, rows, 'rows')
  return parts.map((bytes) => JSON.parse(bytes.toString('utf8')) as RowContent) // as written, by its checksum
}

/** So many rows of one segment are read together. */
export const WHOLE_SECTION_ROWS = 64

export function blobs(
  layers: readonly Layer[],
  rows: readonly number[],
  section: 'rows' | 'texts',
): readonly Buffer[] {
  const found: Buffer[] = new Array(rows.length)
  const byLayer = layers.map((): { readonly row: number; readonly n: number }[] => [])
  for (const [n, number] of rows.entries()) byLayer[layerIn(number)]?.push({ row: rowIn(number), n })
  for (const [at, { segment }] of layers.entries()) {
    const here = byLayer[at] ?? []
    if (here.length === 0) continue
    const whole = here.length > WHOLE_SECTION_ROWS ? segment.section(section) : undefined
    for (const { row, n } of here) found[n] = blobOf(segment, section, { row, whole })
  }
  return found
}

export function blobOf(
  segment: Segment,
  section: 'rows' | 'texts',
  { row, whole }: { readonly row: number; readonly whole: Buffer | undefined },
): Buffer {
  const { rowAt, rowSize, rowCrc, textAt, textSize, textCrc } = segment.columns('places')
  const [at, size, crc] = section === 'rows' ? [rowAt, rowSize, rowCrc] : [textAt, textSize, textCrc]
  const [from, length] = [at[row] ?? 0, size[row] ?? 0]
  const bytes = whole?.subarray(from, from + length) ?? segment.section(section, from, length)
  if (crc32(bytes) !== crc[row]) throw new DamagedSegment(segment.file)
  return bytes
}
