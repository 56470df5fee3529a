import { createHash } from 'node:crypto'
import { once } from '../../../server/plugin.ts'
import { compare } from '../domain/order.ts'
import { type SectionFile, sectionFileBytes } from '../segments/section-file.ts'
import { emptyStates, LATEST, LIVE, type NewSegment, type RecordStates } from '../segments/segment-set.ts'
import { bytesOf, uint32s } from '../segments/term-dictionary.ts'
import type { PackedText } from './packed-text.ts'
import { type RecordColumns, recordColumns, recordSections } from './record-columns.ts'
import { similarityByColumn, similarityByRow, usedNumbers } from './similarity.ts'
import type { VectorLayout } from './store-header.ts'
import { bytesByColumn, vectorsOfColumns } from './vector-columns.ts'
import type { StoredRecord } from './vector-record.ts'
import type { VectorItem } from './vector-store.ts'

/** Records of a vector store in one segment. Records with equal vectors or equal documents share them. */
export interface VectorSegment {
  readonly columns: RecordColumns
  /** The number of the vector of each record. */
  readonly vectors: () => Uint32Array
  /** A copy of the vector with this number. All of the segment are read for it. */
  vector(number: number): Float32Array
  /** The similarity of a query to the vectors with numbers below `count`. */
  similarities(query: Float32Array, count: number): Float64Array
  /** Hex digest of a record's document. */
  digest(row: number): string
  document(row: number): PackedText
  record(row: number): { readonly id: string; readonly metadata: WrittenMetadata }
}

/** What a segment holds of the metadata; the rest is state. */
type WrittenMetadata = Omit<StoredRecord['metadata'], 'last_updated' | 'latest'>

/**
 * A segment of these records: those of latest versions first, so that their vectors are read in one piece, then by id as
 * in the search index, so that both have the same records in the same order.
 */
export function vectorSegment(
  items: readonly VectorItem[],
  { layout, dims }: { readonly layout: VectorLayout; readonly dims: number },
): {
  readonly added: NewSegment
  readonly states: RecordStates
} {
  const ordered = [...items].sort(
    (a, b) => Number(b.metadata.latest) - Number(a.metadata.latest) || compare(a.id, b.id),
  )
  const vectors = sharing<Float32Array>()
  const documents = sharing<Uint8Array>()
  const vectorOf = ordered.map(({ vector }) => vectors.number(digestOf(bytesOf(vector)), () => vector))
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
      ...(layout === 'columns'
        ? { columns: bytesByColumn(vectors.values(), dims) }
        : { vectors: vectors.values().map(bytesOf) }),
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
function sharing<T>() {
  const numbers = new Map<string, number>()
  const values: T[] = []
  return {
    values: (): readonly T[] => values,
    number(key: string, make: () => T): number {
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
  const stored = file.lengthOf('columns') > 0 ? byColumn(file, dims) : byRow(file, dims)
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
    ...stored,
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

type StoredNumbers = Pick<VectorSegment, 'vector' | 'similarities'>

const NUMBER_BYTES = Float32Array.BYTES_PER_ELEMENT

/** Vectors one after the other, which stay in memory once they are read. */
function byRow(file: SectionFile, dims: number): StoredNumbers {
  const all = file.lengthOf('vectors') / NUMBER_BYTES / dims
  let held: Float32Array = new Float32Array(0)
  const firstVectors = (count: number): Float32Array => {
    if (held.length >= count * dims) return held
    const bytes = file.read('vectors', 0, count * dims * NUMBER_BYTES)
    held = new Float32Array(bytes.buffer, bytes.byteOffset, count * dims)
    return held
  }
  return {
    vector: (number) => firstVectors(all).slice(number * dims, (number + 1) * dims),
    similarities: (query, count) => similarityByRow(query, firstVectors(count), count),
  }
}

/** Vectors by column: a query reads the columns that it has numbers for, which stay in memory. */
function byColumn(file: SectionFile, dims: number): StoredNumbers {
  const all = file.lengthOf('columns') / NUMBER_BYTES / dims
  const held = new Map<number, Float32Array>()
  const column = (place: number, count: number): Float32Array => {
    const known = held.get(place)
    if (known && known.length >= count) return known
    const from = place * all * NUMBER_BYTES
    const bytes = file.read('columns', from, from + count * NUMBER_BYTES)
    const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, count)
    held.set(place, numbers)
    return numbers
  }
  const asRows = once(() => vectorsOfColumns((place) => column(place, all), { count: all, dims }))
  return {
    vector: (number) => asRows().slice(number * dims, (number + 1) * dims),
    similarities: (query, count) =>
      similarityByColumn(usedNumbers(query), count, (place) => column(place, count)),
  }
}
