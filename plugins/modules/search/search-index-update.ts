import { createHash } from 'node:crypto'
import { groupVersions } from '../catalog/versions.ts'
import { compare } from '../domain/order.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { contentOf, type IndexRecord, type ModuleIndex, namesOf } from '../output/module-index.ts'
import { segmentsToKeep } from '../segments/merge-plan.ts'
import { sectionFileBytes } from '../segments/section-file.ts'
import {
  composeSet,
  ENDED,
  emptyStates,
  LATEST,
  LIVE,
  type NewSegment,
  type Segment,
  type SegmentSet,
} from '../segments/segment-set.ts'
import { createTextWriter } from '../segments/text-writer.ts'
import { documentTerms, FIELDS_FORMAT, keywordDocument } from './keyword-document.ts'
import type { Lexicon } from './lexicon.ts'
import {
  DIGEST_BYTES,
  ID_BYTES,
  moduleKey,
  recordColumns,
  recordDigest,
  recordSections,
} from './record-columns.ts'
import { TOKENIZER_VERSION } from './tokens.ts'

/** What a search index is made from. */
export interface IndexSource {
  readonly index: ModuleIndex
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

/**
 * The set that has just the records of `source`. Only summaries that are new or changed are read, and those of small
 * segments that are joined. Undefined: `before` is up to date.
 */
export async function updateSet(
  before: SegmentSet | undefined,
  source: IndexSource,
): Promise<UpdatedSet | undefined> {
  const content = contentOf(source.index)
  const usable = before && isMadeBy(before, source.lexicon) ? before : undefined
  const versions = versionsOf(source.index)
  const ended = endedModules(versions)
  const isSame =
    usable?.meta['source'] === content && JSON.stringify(usable.meta['ended']) === JSON.stringify(ended)
  if (isSame) return undefined
  const meta = { source: content, ended, ...analysisOf(source.lexicon) }
  const known = usable ? knownRows(usable, source.index.records) : new Map<string, number>()
  const fresh = source.index.records.filter(({ id }) => !known.has(id))
  const stays = new Set(known.values())
  const kept = usable ? segmentsToKeep(usable, fresh.length, (row) => stays.has(row)) : []
  const isKept = (row: number | undefined): boolean =>
    row !== undefined && kept.some(({ base, records }) => row >= base && row < base + records)
  const written = source.index.records
    .filter(({ id }) => !isKept(known.get(id)))
    .sort(
      (a, b) =>
        Number(versions.get(b.id)?.isLatest) - Number(versions.get(a.id)?.isLatest) || compare(a.id, b.id),
    )
  const added = written.length === 0 ? undefined : await segmentOf(written, source)
  return { added, set: composeSet(kept, added, { meta, ...statesOf(kept, known, written, versions) }) }
}

interface Version {
  readonly record: IndexRecord
  readonly place: number
  readonly isLatest: boolean
  readonly removedSince: string | undefined
}

function versionsOf(index: ModuleIndex): ReadonlyMap<string, Version> {
  return new Map(
    groupVersions(index, index.records).flatMap(({ versions, latest, removedSince }) =>
      versions.map(
        (record, place) => [record.id, { record, place, isLatest: record === latest, removedSince }] as const,
      ),
    ),
  )
}

/** Modules that the newest release of their repository lacks: their number -> that release. */
function endedModules(versions: ReadonlyMap<string, Version>): Readonly<Record<string, string>> {
  const ended = [...versions.values()].flatMap(({ record, removedSince }) =>
    removedSince === undefined ? [] : [[String(moduleKey(record)), removedSince] as const],
  )
  return Object.fromEntries(ended.sort(([a], [b]) => compare(a, b)))
}

/** Record id -> the row that holds this very record. */
function knownRows(set: SegmentSet, records: readonly IndexRecord[]): Map<string, number> {
  const wanted = new Map(records.map((record) => [record.id, record]))
  const known = new Map<string, number>()
  for (const { file, base, records: count } of set.segments) {
    const columns = recordColumns(file)
    const ids = columns.ids().toString('hex')
    for (let local = 0; local < count; local++) {
      const record = wanted.get(ids.slice(local * ID_BYTES * 2, (local + 1) * ID_BYTES * 2))
      if (!record || ((set.flags[base + local] ?? 0) & LIVE) === 0) continue
      const digest = columns.digests().subarray(local * DIGEST_BYTES, (local + 1) * DIGEST_BYTES)
      if (digest.equals(recordDigest(record))) known.set(record.id, base + local)
    }
  }
  return known
}

async function segmentOf(
  records: readonly IndexRecord[],
  { load, lexicon }: IndexSource,
): Promise<NewSegment> {
  const writer = createTextWriter()
  const texts: number[] = []
  for (const record of records) {
    const document = keywordDocument('', await load(record), namesOf(record))
    const key = createHash('sha256').update(JSON.stringify(document)).digest('base64')
    texts.push(writer.add(key, () => documentTerms(document, lexicon)))
  }
  const digests = Buffer.concat(records.map(recordDigest))
  const sections = { ...recordSections(records, { digests, texts }), ...writer.sections() }
  return { records: records.length, bytes: sectionFileBytes({}, sections) }
}

/** The states of the kept rows, then of the new ones. */
function statesOf(
  kept: readonly Segment[],
  known: ReadonlyMap<string, number>,
  written: readonly IndexRecord[],
  versions: ReadonlyMap<string, Version>,
) {
  const idOf = new Map([...known].map(([id, row]) => [row, id]))
  const rows: (string | undefined)[] = []
  for (const { base, records } of kept)
    for (let row = base; row < base + records; row++) rows.push(idOf.get(row))
  for (const { id } of written) rows.push(id)
  const states = emptyStates(rows.length)
  for (const [row, id] of rows.entries()) {
    const version = id === undefined ? undefined : versions.get(id)
    if (!version) continue
    const ended = version.removedSince === undefined ? 0 : ENDED
    states.flags[row] = LIVE | (version.isLatest ? LATEST : 0) | ended
    states.places[row] = version.place
    states.updated[row] = Date.parse(version.record.last_updated)
  }
  return states
}
