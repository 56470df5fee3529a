import { createHash } from 'node:crypto'
import { groupVersions } from '../catalog/versions.ts'
import { compare } from '../domain/order.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { contentAfter, contentOf, repositoriesIn, stepBetween } from '../output/index-content.ts'
import { type IndexRecord, type ModuleIndex, namesOf } from '../output/module-index.ts'
import { segmentsToKeep } from '../segments/merge-plan.ts'
import { sectionFileBytes } from '../segments/section-file.ts'
import {
  composeSet,
  ENDED,
  emptyStates,
  keptRows,
  LATEST,
  LIVE,
  type NewSegment,
  type RecordStates,
  type SegmentSet,
} from '../segments/segment-set.ts'
import { createTextWriter } from '../segments/text-writer.ts'
import { rowsOfIds } from './id-table.ts'
import { documentTerms, FIELDS_FORMAT, keywordDocument } from './keyword-document.ts'
import type { Lexicon } from './lexicon.ts'
import {
  DIGEST_BYTES,
  ID_BYTES,
  moduleKey,
  type RecordColumns,
  recordColumns,
  recordDigest,
  recordSections,
} from './record-columns.ts'
import { segmentFinder, storedIds } from './search-index.ts'
import type { TextsMeta } from './text-index.ts'
import { TOKENIZER_VERSION } from './tokens.ts'

/** What a search index is made from. */
export interface IndexSource {
  readonly index: ModuleIndex
  /** An index of which `index` has the records that did not change, as the same objects. */
  readonly earlier?: ModuleIndex | undefined
  readonly lexicon: Lexicon
  load(record: IndexRecord): Promise<ModuleSummary>
}

/** A set that is up to date, and the segment in it that is not on disk yet. */
export interface UpdatedSet {
  readonly set: SegmentSet
  readonly added: NewSegment | undefined
}

/** How texts became terms: a set that was made otherwise is rebuilt. */
export function analysisOf({ version }: Lexicon) {
  return { fields: FIELDS_FORMAT, tokenizer: TOKENIZER_VERSION, lexicon: version }
}

/** Whether the set was made by this tokenizer and lexicon. */
export function isMadeBy({ meta }: SegmentSet, lexicon: Lexicon): boolean {
  const { fields, tokenizer, lexicon: version } = analysisOf(lexicon)
  return meta['fields'] === fields && meta['tokenizer'] === tokenizer && meta['lexicon'] === version
}

/** Whether a newer version of satchel made the set. */
export function isOfNewer({ meta }: SegmentSet, lexicon: Lexicon): boolean {
  const { fields, tokenizer, lexicon: version } = analysisOf(lexicon)
  const isLexiconNewer = Number.parseInt(String(meta['lexicon']), 10) > Number.parseInt(version, 10)
  return Number(meta['fields']) > fields || Number(meta['tokenizer']) > tokenizer || isLexiconNewer
}

/**
 * The set that has just the records of `source`. Only summaries that are new or changed are read, and those of small
 * segments that are joined. Where `before` was made from the earlier index of the source, only the repositories that
 * changed since are looked at; the result is the same. Undefined: `before` is up to date.
 */
export async function updateSet(
  before: SegmentSet | undefined,
  source: IndexSource,
): Promise<UpdatedSet | undefined> {
  const { index, earlier } = source
  const content = earlier === undefined ? contentOf(index) : contentAfter(earlier, index)
  const usable = before && isMadeBy(before, source.lexicon) ? before : undefined
  if (usable?.meta['source'] === content) return undefined
  const isStep = usable !== undefined && earlier !== undefined && usable.meta['source'] === contentOf(earlier)
  const known = isStep ? stepOf(usable, earlier, index) : wholeOf(usable, index)
  const kept = usable ? segmentsToKeep(usable, known.fresh, (row) => known.stays[row] === 1) : []
  const places = keptRows(kept)
  const written = known
    .recordsWithout((row) => places.placeOf(row) !== undefined)
    .sort((a, b) => Number(known.isLatest(b.id)) - Number(known.isLatest(a.id)) || compare(a.id, b.id))
  const added = written.length === 0 ? undefined : await segmentOf(written, known.isLatest, source)
  const meta = { source: content, ended: known.ended, ...analysisOf(source.lexicon) }
  const states = emptyStates(places.count + written.length)
  known.states(states, places, written)
  return { added, set: composeSet(kept, added, { meta, ...states }) }
}

/** What an update knows of the rows that there are and of the records that there will be. */
interface Known {
  /** 1 for a row that holds a record as it is now. */
  readonly stays: Uint8Array
  /** How many records have no such row. */
  readonly fresh: number
  /** Modules that the newest release of their repository lacks: their number -> that release. */
  readonly ended: Readonly<Record<string, string>>
  isLatest(id: string): boolean
  /** The records that have no row that stays and is kept. */
  recordsWithout(isKept: (row: number) => boolean): IndexRecord[]
  /** Notes the states of the kept rows, and of the written records behind them. Other rows are of no record any more. */
  states(into: RecordStates, places: KeptRows, written: readonly IndexRecord[]): void
}

type KeptRows = ReturnType<typeof keptRows>

/** All records are compared with all rows. */
function wholeOf(set: SegmentSet | undefined, index: ModuleIndex): Known {
  const versions = versionsOf(index, index.records)
  const known = set ? knownRows(set, versions) : new Map<string, number>()
  const stays = new Uint8Array(set?.records ?? 0)
  for (const row of known.values()) stays[row] = 1
  return {
    stays,
    fresh: index.records.length - known.size,
    ended: Object.fromEntries(endedModules(versions)),
    isLatest: (id) => versions.get(id)?.isLatest === true,
    recordsWithout: (isKept) => index.records.filter(({ id }) => !isKept(known.get(id) ?? -1)),
    states(into, { count, placeOf }, written) {
      for (const [id, row] of known) setState(into, placeOf(row), versions.get(id))
      for (const [at, { id }] of written.entries()) setState(into, count + at, versions.get(id))
    },
  }
}

/** Only the repositories that changed are compared: the rows and states of all others are right. */
function stepOf(set: SegmentSet, earlier: ModuleIndex, index: ModuleIndex): Known {
  const repositories = repositoriesIn(stepBetween(earlier, index))
  const isIn = ({ repository }: IndexRecord): boolean => repositories.has(repository)
  const [former, present] = [earlier.records.filter(isIn), index.records.filter(isIn)]
  const versions = versionsOf(index, present)
  const columns = set.segments.map(({ file }) => recordColumns(file))
  const rows = rowsOfIds(
    storedIds(set, columns),
    former.map(({ id }) => id),
  )
  const stays = set.flags.map((flags) => flags & LIVE)
  for (const row of rows) if (row >= 0) stays[row] = 0
  const known = new Map<string, number>()
  for (const [at, { id }] of former.entries()) {
    const row = rows[at] ?? -1
    const version = versions.get(id)
    if (row < 0 || !version || !holdsRecord(set, columns, row, version.record)) continue
    known.set(id, row)
    stays[row] = 1
  }
  const ended = { ...(set.meta['ended'] as Readonly<Record<string, string>>) } // as `updateSet` made it
  for (const record of former) delete ended[String(moduleKey(record))]
  const others = new Map<string, number>()
  return {
    stays,
    fresh: present.length - known.size,
    ended: Object.fromEntries(inKeyOrder([...Object.entries(ended), ...endedModules(versions)])),
    isLatest: (id) => versions.get(id)?.isLatest ?? ((set.flags[others.get(id) ?? -1] ?? 0) & LATEST) !== 0,
    recordsWithout(isKept) {
      for (const { columns: own, base, count } of segmentsOf(set, columns)) {
        for (let local = 0; local < count; local++) {
          const row = base + local
          if (stays[row] === 1 && !isKept(row))
            others.set(own.ids().toString('hex', local * ID_BYTES, (local + 1) * ID_BYTES), row)
        }
      }
      const isWritten = (record: IndexRecord): boolean =>
        isIn(record) ? !isKept(known.get(record.id) ?? -1) : others.has(record.id)
      return others.size === 0 ? present.filter(isWritten) : index.records.filter(isWritten)
    },
    states(into, { count, placeOf }, written) {
      for (let row = 0; row < set.records; row++)
        if (stays[row] === 1) copyState(into, placeOf(row), set, row)
      for (const [id, row] of known) setState(into, placeOf(row), versions.get(id))
      for (const [at, { id }] of written.entries()) {
        const version = versions.get(id)
        if (version) setState(into, count + at, version)
        else copyState(into, count + at, set, others.get(id) ?? -1)
      }
    },
  }
}

function* segmentsOf(set: SegmentSet, columns: readonly RecordColumns[]) {
  for (const [at, { base, records }] of set.segments.entries()) {
    const own = columns[at]
    if (own) yield { columns: own, base, count: records }
  }
}

function holdsRecord(
  set: SegmentSet,
  columns: readonly RecordColumns[],
  row: number,
  record: IndexRecord,
): boolean {
  const segment = segmentFinder(set)(row)
  const start = (row - (set.segments[segment]?.base ?? 0)) * DIGEST_BYTES
  const digests = columns[segment]?.digests()
  return digests !== undefined && recordDigest(record).compare(digests, start, start + DIGEST_BYTES) === 0
}

interface Version {
  readonly record: IndexRecord
  readonly place: number
  readonly isLatest: boolean
  readonly removedSince: string | undefined
}

function versionsOf(index: ModuleIndex, records: readonly IndexRecord[]): ReadonlyMap<string, Version> {
  return new Map(
    groupVersions(index, records).flatMap(({ versions, latest, removedSince }) =>
      versions.map(
        (record, place) => [record.id, { record, place, isLatest: record === latest, removedSince }] as const,
      ),
    ),
  )
}

type Ended = readonly (readonly [module: string, since: string])[]

/** The numbers of the modules that the newest release of their repository lacks, and that release. */
function endedModules(versions: ReadonlyMap<string, Version>): Ended {
  return inKeyOrder(
    [...versions.values()].flatMap(({ record, removedSince }) =>
      removedSince === undefined ? [] : [[String(moduleKey(record)), removedSince] as const],
    ),
  )
}

function inKeyOrder(ended: Ended): Ended {
  return [...ended].sort(([a], [b]) => compare(a, b))
}

/** Record id -> the row that holds this very record. */
function knownRows(set: SegmentSet, versions: ReadonlyMap<string, Version>): Map<string, number> {
  const known = new Map<string, number>()
  for (const { file, base, records: count } of set.segments) {
    const columns = recordColumns(file)
    const [ids, digests] = [columns.ids().toString('hex'), columns.digests()]
    for (let local = 0; local < count; local++) {
      if (((set.flags[base + local] ?? 0) & LIVE) === 0) continue
      const version = versions.get(ids.slice(local * ID_BYTES * 2, (local + 1) * ID_BYTES * 2))
      if (!version) continue
      const [start, end] = [local * DIGEST_BYTES, (local + 1) * DIGEST_BYTES]
      const isSame = recordDigest(version.record).compare(digests, start, end) === 0
      if (isSame) known.set(version.record.id, base + local)
    }
  }
  return known
}

async function segmentOf(
  records: readonly IndexRecord[],
  isLatest: (id: string) => boolean,
  { load, lexicon }: IndexSource,
): Promise<NewSegment> {
  const writer = createTextWriter()
  const texts: number[] = []
  let latest = 0
  for (const record of records) {
    const document = keywordDocument('', await load(record), namesOf(record))
    const key = createHash('sha256').update(JSON.stringify(document)).digest('base64')
    texts.push(writer.add(key, () => documentTerms(document, lexicon)))
    if (isLatest(record.id)) latest = writer.texts
  }
  const digests = Buffer.concat(records.map(recordDigest))
  const meta: TextsMeta = { first: { texts: latest, sums: writer.sums(latest) } }
  const sections = { ...recordSections(records, { digests, texts }), ...writer.sections() }
  return { records: records.length, bytes: sectionFileBytes(meta, sections) }
}

/** Notes the state of a record in a row; none where there is no such row or version. */
function setState(states: RecordStates, row: number | undefined, version: Version | undefined): void {
  if (row === undefined || !version) return
  const ended = version.removedSince === undefined ? 0 : ENDED
  states.flags[row] = LIVE | (version.isLatest ? LATEST : 0) | ended
  states.places[row] = version.place
  states.updated[row] = Date.parse(version.record.last_updated)
}

function copyState(states: RecordStates, row: number | undefined, from: RecordStates, place: number): void {
  if (row === undefined) return
  states.flags[row] = from.flags[place] ?? 0
  states.places[row] = from.places[place] ?? 0
  states.updated[row] = from.updated[place] ?? 0
}
