import { createHash } from 'node:crypto'
import { type SectionFile, sectionFileBytes } from '../segments/section-file.ts'
import { emptyStates, LATEST, LIVE, type NewSegment, type RecordStates } from '../segments/segment-set.ts'
import { bytesOf, uint32s } from '../segments/term-dictionary.ts'
import type { PackedText } from './packed-text.ts'
import { type RecordColumns, recordColumns, recordSections } from './record-columns.ts'
import type { StoredRecord } from './vector-record.ts'
import type { VectorItem } from './vector-store.ts'

/** Records of a vector store in one segment. Records with equal vectors or equal documents share them. */
export interface VectorSegment {
  readonly columns: RecordColumns
  /** The number of the vector of each record. */
  readonly vectors: () => Uint32Array
  /** The vectors with numbers below `count`, one after the other. */
  firstVectors(count: number): Float32Array
  /** Hex digest of a record's document. */
  digest(row: number): string
  document(row: number): PackedText
  record(row: number): { readonly id: string; readonly metadata: WrittenMetadata }
}

/** What a segment holds of the metadata; the rest is state. */
type WrittenMetadata = Omit<StoredRecord['metadata'], 'last_updated' | 'latest'>

/** A segment of these records: those of latest versions first, so that their vectors are read in one piece. */
export function vectorSegment(items: readonly VectorItem[]): {
  readonly added: NewSegment
  readonly states: RecordStates
} {
  const ordered = [...items].sort((a, b) => Number(b.metadata.latest) - Number(a.metadata.latest))
  const vectors = sharing()
  const documents = sharing()
  const vectorOf = ordered.map(({ vector }) =>
    vectors.number(digestOf(bytesOf(vector)), () => bytesOf(vector)),
  )
  const documentOf = ordered.map(({ document, metadata }) =>
    documents.number(metadata.document_sha256, () => document.bytes),
  )
  const packed = documents.values()
  const places = new Uint32Array(packed.length + 1)
  for (const [at, bytes] of packed.entries()) places[at + 1] = (places[at] ?? 0) + bytes.length
  const digests = Buffer.from(ordered.map(({ metadata }) => metadata.document_sha256).join(''), 'hex')
  const bytes = sectionFileBytes(
    {},
    {
      ...recordSections(ordered.map(searchRecordOf), { digests, texts: documentOf }),
      vectorOf: bytesOf(Uint32Array.from(vectorOf)),
      vectors: vectors.values(),
      documentPlaces: bytesOf(places),
      documents: packed,
    },
  )
  const states = emptyStates(ordered.length)
  for (const [row, { metadata }] of ordered.entries()) {
    states.flags[row] = LIVE | (metadata.latest ? LATEST : 0)
    states.updated[row] = Date.parse(metadata.last_updated)
  }
  return { added: { records: ordered.length, bytes }, states }
}

function searchRecordOf({ id, metadata }: VectorItem) {
  const { repository, ref, path, provider, providers, tags, kind } = metadata
  const lists = { providers: listOf(providers), tags: listOf(tags) }
  const fixed = { name: '', ref_kind: 'tag', description: '', summary_file: '' } as const
  return { id, repository, ref, path, kind: kindOf(kind), provider, ...lists, ...fixed }
}

function kindOf(kind: string): 'root' | 'submodule' | 'example' {
  return kind === 'submodule' || kind === 'example' ? kind : 'root'
}

function listOf(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

/** Numbers for values; those with equal keys share a number and one value. */
function sharing() {
  const numbers = new Map<string, number>()
  const values: Uint8Array[] = []
  return {
    values: (): readonly Uint8Array[] => values,
    number(key: string, make: () => Uint8Array): number {
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, values.length)
      return values.push(make()) - 1
    },
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64')
}

const DIGEST_BYTES = 32

/** Reads a segment of a vector store. */
export function openVectorSegment(file: SectionFile, dims: number): VectorSegment {
  const columns = recordColumns(file)
  let vectorOf: Uint32Array | undefined
  let places: Uint32Array | undefined
  const digest = (row: number): string =>
    columns.digests().toString('hex', row * DIGEST_BYTES, (row + 1) * DIGEST_BYTES)
  return {
    columns,
    vectors() {
      vectorOf ??= uint32s(file.whole('vectorOf'))
      return vectorOf
    },
    firstVectors(count) {
      const bytes = file.read('vectors', 0, count * dims * Float32Array.BYTES_PER_ELEMENT)
      return new Float32Array(bytes.buffer, bytes.byteOffset, count * dims)
    },
    digest,
    document(row) {
      const number = columns.texts()[row] ?? 0
      places ??= uint32s(file.whole('documentPlaces'))
      return { bytes: file.read('documents', places[number] ?? 0, places[number + 1] ?? 0) }
    },
    record(row) {
      const { id, repository, ref, path, kind, provider, providers, tags } = columns.record(row)
      const lists = { providers: providers.join(','), tags: tags.join(',') }
      const metadata = { repository, ref, path, provider, ...lists, kind, document_sha256: digest(row) }
      return { id, metadata }
    },
  }
}
