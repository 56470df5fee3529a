import { once } from '../../../server/plugin.ts'
import { ENDED, emptyStates, LATEST, LIVE, type SegmentSet } from '../segments/segment-set.ts'
import { openTermDictionary, uint16s } from '../segments/term-dictionary.ts'
import type { StoredIds } from './id-table.ts'
import { ALL_FIELDS } from './keyword-document.ts'
import { type KeywordIndex, keywordIndex } from './keyword-index.ts'
import type { Lexicon } from './lexicon.ts'
import { versionFinder } from './module-versions.ts'
import { ID_BYTES, type RecordColumns, recordColumns, type SearchRecord } from './record-columns.ts'
import { type TextSegment, textIndex } from './text-index.ts'
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
  readonly live: number
  readonly columns: readonly RecordColumns[]
  /** The words of the texts in a scope. */
  keyword(scope: Scope): KeywordIndex
  /** The text of a record, as `keyword` numbers them. */
  textOf(row: number): number
  /** The texts of all records. */
  texts(): Uint32Array
  /** 1 for each record that is an example. */
  examples(): Uint8Array
  /** A number for the module of a record: its versions share it. */
  moduleOf(row: number): number
  /** Records that pass the filter, in no particular order. */
  select(filter: VectorFilter): readonly number[]
  record(row: number): SearchRecord
  lastUpdated(row: number): string
  isLatest(row: number): boolean
  isExample(row: number): boolean
  /** The release of its repository since which the module of a record is missing. */
  removedSince(row: number): string | undefined
  /** Refs of the module of a record, newest first. */
  refs(row: number): readonly string[]
  /** Record ids, `ID_BYTES` each, in the order of the records. */
  ids(): Buffer
  /** Normalised provider names. */
  providers(): readonly string[]
  /** Names of each repository by URL. */
  repositories(): ReadonlyMap<string, ReadonlySet<string>>
}

/** Reads a set of segments as a search index. */
export function searchIndexOf(set: SegmentSet, lexicon: Lexicon): SearchIndex {
  const columns = set.segments.map(({ file }) => recordColumns(file))
  const lengths = set.segments.map(({ file }) => uint16s(file.whole('lengths')))
  const dictionaries = set.segments.map(({ file }) => openTermDictionary(file))
  const textBases: number[] = []
  let texts = 0
  for (const numbers of lengths) {
    textBases.push(texts)
    texts += numbers.length / ALL_FIELDS.length
  }
  const segmentOf = segmentFinder(set)
  const keywords = new Map<Scope, KeywordIndex>()
  const makeKeywords = (scope: Scope): KeywordIndex => {
    const segments: TextSegment[] = dictionaries.map((terms, at) => ({
      terms,
      lengths: lengths[at] ?? new Uint16Array(0),
      chosen: chosenTexts(set, at, columns[at]?.texts() ?? new Uint32Array(0), scope),
    }))
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
  const latest = once(() => selectRows(set, columns, { latestOnly: true }))
  let ids: Buffer | undefined
  return {
    source: String(set.meta['source']),
    set,
    records: set.records,
    live: liveRecords(set),
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
    examples: once(() => exampleRows(set, columns)),
    select: (filter) => (isOfLatest(filter) ? latest() : selectRows(set, columns, filter)),
    record: (row) => at(row, (held, local) => held.record(local), NO_RECORD),
    lastUpdated: (row) => new Date(set.updated[row] ?? 0).toISOString(),
    isLatest: (row) => ((set.flags[row] ?? 0) & LATEST) !== 0,
    isExample: (row) => at(row, (held, local) => held.kindOf(local) === 'example', false),
    removedSince: (row) => (((set.flags[row] ?? 0) & ENDED) === 0 ? undefined : ended[String(moduleOf(row))]),
    refs: (row) =>
      versions()(moduleOf(row)).map((one) =>
        at(one, (held, local) => held.refs()[held.ref()[local] ?? 0] ?? '', ''),
      ),
    ids() {
      ids ??= Buffer.concat(columns.map((held) => held.ids()))
      return ids
    },
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
  for (let row = 0; row < flags.length; row++) if (((flags[row] ?? 0) & LIVE) !== 0) live++
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

function chosenTexts(set: SegmentSet, segment: number, texts: Uint32Array, scope: Scope) {
  const base = set.segments[segment]?.base ?? 0
  const wanted = scope === 'latest' ? LIVE | LATEST : LIVE
  let all = 0
  for (let local = 0; local < texts.length; local++) all = Math.max(all, (texts[local] ?? 0) + 1)
  const isIn = new Uint8Array(all)
  let bound = 0
  for (let local = 0; local < texts.length; local++) {
    if (((set.flags[base + local] ?? 0) & wanted) !== wanted) continue
    const text = texts[local] ?? 0
    isIn[text] = 1
    bound = Math.max(bound, text + 1)
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
    for (let local = 0; local < own.length; local++) joined[first + local] = base + (own[local] ?? 0)
  }
  return joined
}

function exampleRows({ segments, records }: SegmentSet, columns: readonly RecordColumns[]): Uint8Array {
  const examples = new Uint8Array(records)
  for (const [at, held] of columns.entries()) examples.set(held.examples(), segments[at]?.base ?? 0)
  return examples
}

/** Whether a filter lets every latest version pass, and nothing else. */
export function isOfLatest({ latestOnly, ...others }: VectorFilter): boolean {
  return latestOnly === true && Object.values(others).every((value) => value === undefined)
}

/** Rows of a set that pass a filter. */
export function selectRows(
  set: SegmentSet,
  columns: readonly RecordColumns[],
  filter: VectorFilter,
): number[] {
  const rows: number[] = []
  const wanted = filter.latestOnly ? LIVE | LATEST : LIVE
  for (const [segment, held] of columns.entries()) {
    const base = set.segments[segment]?.base ?? 0
    const passes = filterOf(held, filter)
    const records = set.segments[segment]?.records ?? 0
    for (let local = 0; local < records; local++) {
      if (((set.flags[base + local] ?? 0) & wanted) === wanted && (passes?.(local) ?? true))
        rows.push(base + local)
    }
  }
  return rows
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
  if (tests.length === 0) return undefined
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
