import { hash } from 'node:crypto'
import { keepRecent, once } from '../../../server/plugin.ts'
import { type IndexRecord, namesOf } from '../output/module-index.ts'
import type { SectionBytes, SectionFile } from '../segments/section-file.ts'
import { float64s, type SegmentSet } from '../segments/segment-set.ts'
import { bytesOf, uint32s } from '../segments/term-dictionary.ts'

/** One record as the search index keeps it. */
export type SearchRecord = Pick<
  IndexRecord,
  | 'id'
  | 'repository'
  | 'name'
  | 'ref'
  | 'ref_kind'
  | 'path'
  | 'kind'
  | 'provider'
  | 'providers'
  | 'tags'
  | 'description'
  | 'summary_file'
  | 'other_names'
>

export const ID_BYTES = 32
export const DIGEST_BYTES = 16
const KINDS = ['root', 'submodule', 'example'] as const
/** The number of an example among kinds. */
export const EXAMPLE = KINDS.indexOf('example')

/** The digest by which a record is known to be unchanged. */
export function recordDigest(record: IndexRecord): Buffer {
  const text = [record.summary_sha256, record.summary_file, ...namesOf(record)].join('\0')
  return hash('sha256', text, 'buffer').subarray(0, DIGEST_BYTES)
}

/** The records of a segment, and which text each has, as sections. */
export function recordSections(
  records: readonly SearchRecord[],
  { digests, texts }: { readonly digests: Buffer; readonly texts: readonly number[] },
): Record<string, SectionBytes> {
  const names = { repositories: numberer(), refs: numberer(), providers: numberer() }
  const rows = records.map((record) => Buffer.from(JSON.stringify(searchRecordOf(record))))
  const places = new Uint32Array(records.length + 1)
  for (const [at, row] of rows.entries()) places[at + 1] = (places[at] ?? 0) + row.length
  const column = (numberOf: (record: SearchRecord) => number) => bytesOf(Uint32Array.from(records, numberOf))
  return {
    ids: Buffer.from(records.map(({ id }) => id).join(''), 'hex'),
    digests,
    texts: bytesOf(Uint32Array.from(texts)),
    modules: bytesOf(Float64Array.from(records, moduleKey)),
    kinds: Uint8Array.from(records, ({ kind }) => KINDS.indexOf(kind)),
    repository: column((record) => names.repositories.number([record.repository, ...namesOf(record)])),
    ref: column(({ ref }) => names.refs.number(ref)),
    provider: column(({ provider, providers }) => names.providers.number([provider, ...providers])),
    rowPlaces: bytesOf(places),
    rows,
    repositories: names.repositories.bytes(),
    refs: names.refs.bytes(),
    providers: names.providers.bytes(),
  }
}

function searchRecordOf(record: SearchRecord): SearchRecord {
  const { id, repository, name, ref, ref_kind, path, kind, provider, providers, tags } = record
  const { description, summary_file, other_names } = record
  return {
    id,
    repository,
    name,
    ref,
    ref_kind,
    path,
    kind,
    provider,
    providers,
    tags,
    description,
    summary_file,
    ...(other_names && { other_names }),
  }
}

/** Gives equal values equal numbers. */
function numberer() {
  const numbers = new Map<string, number>()
  return {
    number(value: unknown): number {
      const key = JSON.stringify(value)
      const number = numbers.get(key) ?? numbers.size
      numbers.set(key, number)
      return number
    },
    bytes: () => Buffer.from(`[${[...numbers.keys()].join(',')}]`),
  }
}

/** A number for (repository, path): 52 bits of a digest, so that no two of a million modules are likely to share one. */
export function moduleKey({ repository, path }: Pick<IndexRecord, 'repository' | 'path'>): number {
  const digest = hash('sha256', `${repository}\0${path}`, 'buffer')
  return digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) & 15)
}

/** The records of one segment; each column is read when it is first needed. */
export interface RecordColumns {
  readonly ids: () => Buffer
  readonly digests: () => Buffer
  readonly texts: () => Uint32Array
  readonly modules: () => Float64Array
  readonly kinds: () => Uint8Array
  readonly repository: () => Uint32Array
  readonly ref: () => Uint32Array
  readonly provider: () => Uint32Array
  /** URL and names. */
  readonly repositories: () => readonly (readonly [string, ...string[]])[]
  readonly refs: () => readonly string[]
  /** The main provider, then all of them. */
  readonly providers: () => readonly (readonly string[])[]
  kindOf(row: number): (typeof KINDS)[number]
  record(row: number): SearchRecord
  /** The ids of the rows from one to before another, `ID_BYTES` each. */
  idsFrom(from: number, to: number): Buffer
}

/** The ids of records of a set from one row to before another. */
export function idsOfRun(
  { segments }: SegmentSet,
  columns: readonly RecordColumns[],
  { from, to }: { readonly from: number; readonly to: number },
): Buffer {
  const parts = segments.flatMap(({ base, records }, at) => {
    const [first, end] = [Math.max(from - base, 0), Math.min(to - base, records)]
    return first < end ? [columns[at]?.idsFrom(first, end) ?? Buffer.alloc(0)] : []
  })
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

/** Records of one segment that stay in memory: a search looks at the places of all that tie. */
const RECORDS_KEPT = 2000

export function recordColumns(file: SectionFile): RecordColumns {
  const bytes = (section: string) => once(() => file.whole(section))
  const numbers = (section: string) => once(() => uint32s(file.whole(section)))
  const values = <T>(section: string) => once(() => JSON.parse(file.whole(section).toString('utf8')) as T) // as written: its checksums fit
  const kinds = once(() => new Uint8Array(file.whole('kinds')))
  const rowPlaces = numbers('rowPlaces')
  const records = keepRecent<number, SearchRecord>(RECORDS_KEPT)
  const read = (row: number): SearchRecord => {
    const places = rowPlaces()
    const text = file.read('rows', places[row] ?? 0, places[row + 1] ?? 0)
    return JSON.parse(text.toString('utf8')) as SearchRecord // as written: its checksums fit
  }
  return {
    ids: bytes('ids'),
    digests: bytes('digests'),
    texts: numbers('texts'),
    modules: once(() => float64s(file.whole('modules'))),
    kinds,
    repository: numbers('repository'),
    ref: numbers('ref'),
    provider: numbers('provider'),
    repositories: values('repositories'),
    refs: values('refs'),
    providers: values('providers'),
    kindOf: (row) => KINDS[kinds()[row] ?? 0] ?? 'root',
    record: (row) => records.get(row, () => read(row)),
    idsFrom: (from, to) => file.read('ids', from * ID_BYTES, to * ID_BYTES),
  }
}
