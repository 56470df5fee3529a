import { once } from '../../../server/plugin.ts'
import { countBelow } from '../domain/count-below.ts'
import type { TextChoice } from '../segments/postings.ts'
import type { SectionFile } from '../segments/section-file.ts'
import { ENDED, emptyStates, LATEST, LIVE, type SegmentSet } from '../segments/segment-set.ts'
import { openTermDictionary, type TermDictionary, uint16s } from '../segments/term-dictionary.ts'
import type { StoredIds } from './id-table.ts'
import { ALL_FIELDS } from './keyword-document.ts'
import { type KeywordIndex, keywordIndex } from './keyword-index.ts'
import type { Lexicon } from './lexicon.ts'
import { versionFinder } from './module-versions.ts'
import { ID_BYTES, idsOfRun, type RecordColumns, recordColumns, type SearchRecord } from './record-columns.ts'
import { sumsOf, type TextSegment, textIndex } from './text-index.ts'
import type { VectorFilter } from './vector-store.ts'

/** Which versions a search looks at. */
export type Scope = 'latest' | 'all'

/** Every version of every module and their texts, read where a search needs them. Records are numbered from 0. */
export interface SearchIndex {
  /** The content of the module index that it was made from. */
  readonly source: string
  readonly set: SegmentSet
  /** Records, also those that were replaced or removed. */
  readonly records: number
  /** Records without those. */
  live(): number
  readonly columns: readonly RecordColumns[]
  /** The words of the texts in a scope. */
  keyword(scope: Scope): KeywordIndex
  /** The text of a record, as `keyword` numbers them. */
  textOf(row: number): number
  /** The texts of all records. */
  texts(): Uint32Array
  /** The kind of each record; `EXAMPLE` is an example. */
  kinds(): Uint8Array
  /** A number for the module of a record: its versions share it. */
  moduleOf(row: number): number
  /** Records that pass the filter, by rising number. Those of all latest versions are the same object each time. */
  select(filter: VectorFilter): Int32Array
  /** Whether a record that was neither replaced nor removed passes the filter. */
  passing(filter: Omit<VectorFilter, 'latestOnly'>): (row: number) => boolean
  record(row: number): SearchRecord
  lastUpdated(row: number): string
  isLatest(row: number): boolean
  kindOf(row: number): SearchRecord['kind']
  /** Whether any module is missing in the newest release of its repository. */
  readonly hasRemoved: boolean
  /** The release of its repository since which the module of a record is missing. */
  removedSince(row: number): string | undefined
  /** Refs of the module of a record, newest first. */
  refs(row: number): readonly string[]
  /** Record ids, `ID_BYTES` each, in the order of the records. */
  ids(): Buffer
  /** The ids of records from one to before another. */
  idsOf(from: number, to: number): Buffer
  /** Normalised provider names. */
  providers(): readonly string[]
  /** Names of each repository by URL. */
  repositories(): ReadonlyMap<string, ReadonlySet<string>>
}

/** Reads a set of segments as a search index. */
export function searchIndexOf(set: SegmentSet, lexicon: Lexicon): SearchIndex {
  const columns = set.segments.map(({ file }) => recordColumns(file))
  const dictionaries = set.segments.map(({ file }) => openTermDictionary(file))
  const textBases: number[] = []
  let texts = 0
  for (const { file } of set.segments) {
    textBases.push(texts)
    texts += file.lengthOf('lengths') / TEXT_BYTES
  }
  const selected = {
    latest: once(() => selectRows(set, columns, { latestOnly: true })),
    all: () => selectRows(set, columns, {}),
  }
  const segmentOf = segmentFinder(set)
  const keywords = new Map<Scope, KeywordIndex>()
  const makeKeywords = (scope: Scope): KeywordIndex => {
    const segments = textSegments(set, selected[scope](), { columns, dictionaries })
    return keywordIndex(textIndex(segments, ALL_FIELDS.length), lexicon)
  }
  const at = <T>(
    row: number,
    read: (columns: RecordColumns, local: number, segment: number) => T,
    none: T,
  ): T => {
    const segment = segmentOf(row)
    const held = columns[segment]
    return held ? read(held, row - (set.segments[segment]?.base ?? 0), segment) : none
  }
  const moduleOf = (row: number): number => at(row, (held, local) => held.modules()[local] ?? 0, 0)
  const ended = (set.meta['ended'] ?? {}) as Readonly<Record<string, string>> // as `updateSet` made it
  const versions = once(() => versionFinder(set, columns))
  const ids = once(() => Buffer.concat(columns.map((held) => held.ids())))
  return {
    source: String(set.meta['source']),
    set,
    records: set.records,
    live: once(() => liveRecords(set)),
    columns,
    keyword(scope) {
      const held = keywords.get(scope) ?? makeKeywords(scope)
      keywords.set(scope, held)
      return held
    },
    textOf: (row) =>
      at(row, (held, local, segment) => (textBases[segment] ?? 0) + (held.texts()[local] ?? 0), 0),
    moduleOf,
    texts: once(() => joinedTexts(set, columns, textBases)),
    kinds: once(() => joinedKinds(set, columns)),
    select: (filter) => (isOfLatest(filter) ? selected.latest() : selectRows(set, columns, filter)),
    passing: (filter) => passing(set, columns, filter),
    record: (row) => at(row, (held, local) => held.record(local), NO_RECORD),
    lastUpdated: (row) => new Date(set.updated[row] ?? 0).toISOString(),
    isLatest: (row) => ((set.flags[row] ?? 0) & LATEST) !== 0,
    kindOf: (row) => at(row, (held, local) => held.kindOf(local), 'root'),
    hasRemoved: Object.keys(ended).length > 0,
    removedSince: (row) => (((set.flags[row] ?? 0) & ENDED) === 0 ? undefined : ended[String(moduleOf(row))]),
    refs: (row) =>
      versions()(moduleOf(row)).map((one) =>
        at(one, (held, local) => held.refs()[held.ref()[local] ?? 0] ?? '', ''),
      ),
    ids,
    idsOf: (from, to) => idsOfRun(set, columns, { from, to }),
    providers: () =>
      [...new Set(columns.flatMap((held) => held.providers().flatMap(([, ...names]) => names)))].sort(),
    repositories: () => namesByUrl(columns.flatMap((held) => held.repositories())),
  }
}

function namesByUrl(rows: readonly (readonly [string, ...string[]])[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [url, ...names] of rows) {
    const known = found.get(url) ?? new Set()
    for (const name of names) known.add(name)
    found.set(url, known)
  }
  return found
}

/** An index without records. */
export function emptySearchIndex(lexicon: Lexicon): SearchIndex {
  const meta = { source: '' }
  return searchIndexOf({ meta, segments: [], records: 0, ...emptyStates(0) }, lexicon)
}

/** Searches that are under way may still read an index that was replaced. */
const CLOSE_AFTER_MS = 30_000

/** Closes the files of an index that `next` does not share, after a while. */
export function closeLater(
  { set }: Pick<SearchIndex, 'set'>,
  next: Pick<SearchIndex, 'set'> | undefined,
): void {
  const shared = new Set(next?.set.segments.map(({ file }) => file))
  const closing = set.segments.filter(({ file }) => !shared.has(file))
  const timer = setTimeout(() => {
    for (const { file } of closing) file.close()
  }, CLOSE_AFTER_MS)
  timer.unref()
}

const NO_RECORD: SearchRecord = {
  id: '0'.repeat(ID_BYTES * 2),
  repository: '',
  name: '',
  ref: '',
  ref_kind: 'tag',
  path: '.',
  kind: 'root',
  provider: '',
  providers: [],
  tags: [],
  description: '',
  summary_file: '',
}

export function isLive({ flags }: Pick<SegmentSet, 'flags'>, row: number): boolean {
  return ((flags[row] ?? 0) & LIVE) !== 0
}

/** The ids of a set, for `rowsOfIds`. */
export function storedIds(set: SegmentSet, columns: readonly RecordColumns[]): StoredIds {
  return { ids: columns.map((held) => held.ids()), isLive: (row) => isLive(set, row) }
}

/** How many records of a set were neither replaced nor removed. */
export function liveRecords({ flags }: Pick<SegmentSet, 'flags'>): number {
  let live = 0
  for (let row = 0; row < flags.length; row++) live += (flags[row] ?? 0) & LIVE // which is 1
  return live
}

/** Finds the segment of a row. */
export function segmentFinder({ segments }: SegmentSet): (row: number) => number {
  return (row) => {
    let at = segments.length - 1
    while (at > 0 && (segments[at]?.base ?? 0) > row) at--
    return at
  }
}

/** Bytes of the lengths of one text. */
const TEXT_BYTES = ALL_FIELDS.length * Uint16Array.BYTES_PER_ELEMENT

interface OpenedSegments {
  readonly columns: readonly RecordColumns[]
  readonly dictionaries: readonly TermDictionary[]
}

/** The texts of these rows in each segment. */
function textSegments(
  set: SegmentSet,
  rows: Int32Array,
  { columns, dictionaries }: OpenedSegments,
): TextSegment[] {
  return set.segments.map(({ file, base, records }, at) => ({
    terms: dictionaries[at] ?? openTermDictionary(file),
    texts: file.lengthOf('lengths') / TEXT_BYTES,
    lengths: (from, to) => uint16s(file.read('lengths', from * TEXT_BYTES, to * TEXT_BYTES)),
    chosen: chosenTexts(rows, { base, records, texts: columns[at]?.texts() ?? new Uint32Array(0) }, file),
    sums: sumsOf(file),
  }))
}

interface RowsOfSegment {
  readonly base: number
  readonly records: number
  /** The text of each. */
  readonly texts: Uint32Array
}

/** The texts of those of these rising rows that are in a segment. */
function chosenTexts(
  rows: Int32Array,
  { base, records, texts }: RowsOfSegment,
  file: SectionFile,
): TextChoice {
  const isIn = new Uint8Array(file.lengthOf('lengths') / TEXT_BYTES)
  let bound = 0
  for (let at = countBelow(rows, base), end = countBelow(rows, base + records); at < end; at++) {
    const text = texts[(rows[at] ?? 0) - base] ?? 0
    isIn[text] = 1
    if (text >= bound) bound = text + 1
  }
  return { isIn, bound }
}

function joinedTexts(
  { segments, records }: SegmentSet,
  columns: readonly RecordColumns[],
  bases: readonly number[],
) {
  const joined = new Uint32Array(records)
  for (const [at, held] of columns.entries()) {
    const [own, first, base] = [held.texts(), segments[at]?.base ?? 0, bases[at] ?? 0]
    joined.set(own, first)
    if (base > 0)
      for (let row = first; row < first + own.length; row++) joined[row] = (joined[row] ?? 0) + base
  }
  return joined
}

function joinedKinds({ segments, records }: SegmentSet, columns: readonly RecordColumns[]): Uint8Array {
  const joined = new Uint8Array(records)
  for (const [at, held] of columns.entries()) joined.set(held.kinds(), segments[at]?.base ?? 0)
  return joined
}

/** Whether a filter lets every latest version pass, and nothing else. */
export function isOfLatest({ latestOnly, ...others }: VectorFilter): boolean {
  return latestOnly === true && Object.values(others).every((value) => value === undefined)
}

/** Rows of a set that pass a filter, rising. */
export function selectRows(
  set: SegmentSet,
  columns: readonly RecordColumns[],
  filter: VectorFilter,
): Int32Array {
  const wanted = rowsWith(set.flags, filter.latestOnly ? LIVE | LATEST : LIVE)
  return isOfLatest({ ...filter, latestOnly: true }) ? wanted : wanted.filter(passing(set, columns, filter))
}

/** See `SearchIndex.passing`. */
function passing(
  set: SegmentSet,
  columns: readonly RecordColumns[],
  filter: VectorFilter,
): (row: number) => boolean {
  const tests = columns.map((held) => filterOf(held, filter))
  const segmentOf = segmentFinder(set)
  return (row) => {
    const segment = segmentOf(row)
    return tests[segment]?.(row - (set.segments[segment]?.base ?? 0)) ?? true
  }
}

function rowsWith(flags: Uint8Array, wanted: number): Int32Array {
  const rows = new Int32Array(flags.length)
  let count = 0
  for (let row = 0; row < flags.length; row++)
    if (((flags[row] ?? 0) & wanted) === wanted) rows[count++] = row
  return rows.slice(0, count)
}

/** Compares numbers: what a filter names is looked up once in the names of the segment. */
function filterOf(held: RecordColumns, filter: VectorFilter): ((local: number) => boolean) | undefined {
  const tests: ((local: number) => boolean)[] = []
  const { ref, kinds, repositories, providers } = filter
  if (ref !== undefined) tests.push(isAmong(held.ref(), held.refs(), (name) => name === ref))
  if (kinds) tests.push((local) => kinds.includes(held.kindOf(local)))
  if (repositories)
    tests.push(isAmong(held.repository(), held.repositories(), ([url]) => repositories.includes(url)))
  if (providers)
    tests.push(
      isAmong(held.provider(), held.providers(), (names) => names.some((name) => providers.includes(name))),
    )
  if (tests.length < 2) return tests[0]
  return (local) => tests.every((test) => test(local))
}

function isAmong<T>(
  column: Uint32Array,
  names: readonly T[],
  isWanted: (name: T) => boolean,
): (local: number) => boolean {
  const wanted = Uint8Array.from(names, (name) => Number(isWanted(name)))
  return (local) => wanted[column[local] ?? 0] === 1
}
