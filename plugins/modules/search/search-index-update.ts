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
  keptRows,
  LATEST,
  LIVE,
  type NewSegment,
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
  const known = usable ? knownRows(usable, versions) : new Map<string, number>()
  const fresh = source.index.records.filter(({ id }) => !known.has(id))
  const stays = new Set(known.values())
  const kept = usable ? segmentsToKeep(usable, fresh.length, (row) => stays.has(row)) : []
  const places = keptRows(kept)
  const written = source.index.records
    .filter(({ id }) => places.placeOf(known.get(id) ?? -1) === undefined)
    .sort(
      (a, b) =>
        Number(versions.get(b.id)?.isLatest) - Number(versions.get(a.id)?.isLatest) || compare(a.id, b.id),
    )
  const added = written.length === 0 ? undefined : await segmentOf(written, source)
  return { added, set: composeSet(kept, added, { meta, ...statesOf(places, known, written, versions) }) }
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

/** The states of the kept rows, then of the new ones. Rows that are not `known` are of no record any more. */
function statesOf(
  { count, placeOf }: ReturnType<typeof keptRows>,
  known: ReadonlyMap<string, number>,
  written: readonly IndexRecord[],
  versions: ReadonlyMap<string, Version>,
) {
  const states = emptyStates(count + written.length)
  const set = (row: number, id: string): void => {
    const version = versions.get(id)
    if (!version) return
    const ended = version.removedSince === undefined ? 0 : ENDED
    states.flags[row] = LIVE | (version.isLatest ? LATEST : 0) | ended
    states.places[row] = version.place
    states.updated[row] = Date.parse(version.record.last_updated)
  }
  for (const [id, row] of known) {
    const place = placeOf(row)
    if (place !== undefined) set(place, id)
  }
  for (const [at, { id }] of written.entries()) set(count + at, id)
  return states
}
