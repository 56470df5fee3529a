import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Disk, orMissing, realDisk } from '../../../server/plugin.ts'
import { absentIfDamaged } from '../output/stored-format.ts'
import { refusals } from '../reasons.ts'
import { segmentsToKeep } from '../segments/merge-plan.ts'
import { DamagedFile, unlessFolder } from '../segments/section-file.ts'
import {
  CURRENT,
  composeSet,
  emptyStates,
  keptRows,
  LATEST,
  LIVE,
  openSegmentSet,
  type RecordStates,
  type SegmentSet,
  saveSegmentSet,
} from '../segments/segment-set.ts'
import { packText } from './packed-text.ts'
import { unpackStore } from './packed-vectors.ts'
import { closeLater } from './search-index.ts'
import { layoutOf, refuseOtherStore, STORED_FORMAT, type StoreHeader } from './store-header.ts'
import { type StoredVectors, storedVectors } from './stored-vectors.ts'
import type { StoredRecord } from './vector-record.ts'
import { vectorSegment } from './vector-segments.ts'
import {
  matchesOf,
  type Touch,
  type VectorChanges,
  type VectorItem,
  type VectorStore,
} from './vector-store.ts'

/** Runs `work` while no other process writes the store. Errors: `conflict`/`ingest_running`. */
export type StoreLock = <T>(folder: string, work: () => Promise<T>) => Promise<T>

export interface EmbeddedStore extends VectorStore {
  /** All records with their vectors, one after another. */
  items(): Promise<Iterable<VectorItem>>
}

/** Above this a segment would not fit in memory; its places are numbers of 32 bits. */
const MAX_SEGMENT_BYTES = 2 ** 31

/**
 * The store that needs no server: binary segments in `folder`, searched by an exact scan of the vectors of the latest
 * versions. Each call looks whether the store changed and keeps the old content until the new is whole.
 */
export function embeddedStore(folder: string, lock: StoreLock, disk = realDisk): EmbeddedStore {
  let held: { readonly stamp: string; readonly vectors: StoredVectors } | undefined

  const load = async (): Promise<StoredVectors | undefined> => {
    const stamp = (await disk.stamp(join(folder, CURRENT))) ?? (await disk.stamp(join(folder, LEGACY)))
    if (stamp === undefined) return undefined
    if (held?.stamp === stamp) return held.vectors
    const vectors = openVectors(folder, disk)
    if (held) closeLater(held.vectors, vectors)
    held = vectors && { stamp, vectors }
    return vectors
  }
  /** Damage that is met later than at opening is told like that at opening. */
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (thrown) {
      throw toldDamage(folder, thrown)
    }
  }
  const save = async (header: StoreHeader, before: StoredVectors | undefined, changes: VectorChanges) => {
    const { set, added } = changed(header, before, changes)
    if ((added?.bytes.length ?? 0) > MAX_SEGMENT_BYTES) throw tooLarge(changes)
    await saveSegmentSet(folder, set, added, disk)
    await orMissing(disk.unlink(join(folder, LEGACY)))
  }

  return {
    header: async () => (await load())?.header,
    content: async () => (await load())?.content,
    digests: (of) =>
      told(async () => {
        const vectors = await load()
        return vectors ? digestsOf(vectors, of) : new Map()
      }),
    apply: (header, changes) =>
      told(() =>
        lock(folder, async () => {
          const before = await load()
          if (before) refuseOtherStore(before.header, header)
          await save(header, before, changes)
        }),
      ),
    replace: (header, items) =>
      lock(folder, async () => {
        const before = await load().catch(absentIfDamaged('store_damaged'))
        const { lexicon_version, tokenizer_version } = header
        if (before) refuseOtherStore({ ...before.header, lexicon_version, tokenizer_version }, header)
        await save(header, undefined, { upsert: items, touch: [], remove: [] })
      }),
    query: (vector, filter) =>
      told(async () => {
        const matches = (await load())?.nearest(vector, filter) ?? matchesOf([])
        const record = (match: number): StoredRecord => {
          try {
            return matches.record(match)
          } catch (thrown) {
            throw toldDamage(folder, thrown)
          }
        }
        return { ...matches, record }
      }),
    list: (filter) =>
      told(async () => {
        const vectors = await load()
        return vectors ? Array.from(vectors.select(filter), vectors.record) : []
      }),
    count: () => told(async () => (await load())?.live() ?? 0),
    items: () =>
      told(async () => {
        const vectors = await load()
        return vectors ? itemsBackwards(vectors) : []
      }),
    close: async () => {
      if (held) closeLater(held.vectors, undefined)
      held = undefined
    },
  }
}

function digestsOf(vectors: StoredVectors, of: readonly string[] | undefined): Map<string, string> {
  const rows = of ? vectors.rowsOf(of).entries() : undefined
  const known = rows ? [...rows].map(([at, row]) => [of?.[at] ?? '', row] as const) : [...vectors.rows()]
  return new Map(known.flatMap(([id, row]) => (row < 0 ? [] : [[id, vectors.digest(row)]])))
}

/** Whether there is a store in the folder, damaged or not. */
export function holdsStore(folder: string): boolean {
  return [CURRENT, LEGACY].some((name) => existsSync(join(folder, name)))
}

/** The file of version 0.1.0, which vectra wrote; the first update takes its records over. */
const LEGACY = 'index.json'

function openVectors(folder: string, disk: Disk): StoredVectors | undefined {
  try {
    const set = openSegmentSet(folder, disk) ?? legacySet(folder, disk)
    const vectors = storedVectors(set, folder)
    if (vectors) return vectors
  } catch (thrown) {
    if (thrown instanceof DamagedFile) throw storeDamage(folder, thrown)
    throw thrown
  }
  throw refusals.store_damaged({ file: folder, why: 'its header is missing' })
}

function legacySet(folder: string, disk: Disk): SegmentSet {
  const file = join(folder, LEGACY)
  const { header, records, vectors } = unpackStore(
    unlessFolder(() => disk.readFileSync(file)).toString('utf8'),
    file,
  )
  const { dims } = header
  const items = records.map((record, row) => ({
    ...record,
    document: packText(record.document),
    vector: vectors.slice(row * dims, (row + 1) * dims),
  }))
  return changed(header, undefined, { upsert: items, touch: [], remove: [] }).set
}

function toldDamage(folder: string, thrown: unknown): unknown {
  return thrown instanceof DamagedFile ? storeDamage(folder, thrown) : thrown
}

function storeDamage(folder: string, { message, format }: DamagedFile) {
  if (format !== undefined) return refusals.store_newer({ place: folder }, { details: { format } })
  return refusals.store_damaged({ file: folder, why: message })
}

function tooLarge({ upsert }: VectorChanges) {
  return refusals.store_full(
    { records: upsert.length },
    { details: { records: upsert.length, max_bytes: MAX_SEGMENT_BYTES } },
  )
}

/** The set with the changes, and its new segment. */
function changed(header: StoreHeader, before: StoredVectors | undefined, changes: VectorChanges) {
  const staying = before ? stayingRows(before, changes) : NO_ROWS
  const { stays } = staying
  const kept = before ? segmentsToKeep(before.set, changes.upsert.length, (row) => stays[row] === 1) : []
  const places = keptRows(kept)
  const items = [...(before ? writtenAgain(before, staying, places) : []), ...changes.upsert]
  const fresh =
    items.length === 0 ? undefined : vectorSegment(items, { layout: layoutOf(header), dims: header.dims })
  const states = emptyStates(places.count + items.length)
  if (before) copyStates(states, before, staying, places)
  if (fresh) {
    states.flags.set(fresh.states.flags, places.count)
    states.updated.set(fresh.states.updated, places.count)
  }
  const content = before?.content === changes.content?.from ? changes.content?.to : undefined
  const meta = { header: { ...header, format: STORED_FORMAT }, ...(content !== undefined && { content }) }
  return { set: composeSet(kept, fresh?.added, { meta, ...states }), added: fresh?.added }
}

/** Copies the states of records that stay where they are, as the changes touch them. */
function copyStates(
  states: RecordStates,
  { set: { flags, updated } }: StoredVectors,
  { stays, touchOf }: StayingRows,
  { placeOf }: KeptRows,
): void {
  for (let row = 0; row < stays.length; row++) {
    const place = stays[row] === 1 ? placeOf(row) : undefined
    if (place === undefined) continue
    const touch = touchOf(row)
    states.flags[place] = touch ? flagsOf(touch.latest) : (flags[row] ?? 0)
    states.updated[place] = touch ? Date.parse(touch.last_updated) : (updated[row] ?? 0)
  }
}

/** From the last one on, because a segment reads its vectors up to the one that is asked for. */
function* itemsBackwards(vectors: StoredVectors): Generator<VectorItem> {
  for (const row of [...vectors.rows().values()].reverse()) yield vectors.item(row)
}

type KeptRows = ReturnType<typeof keptRows>

interface StayingRows {
  /** 1 for the row of a record that is neither replaced nor removed. */
  readonly stays: Uint8Array
  touchOf(row: number): Touch | undefined
}

const NO_ROWS: StayingRows = { stays: new Uint8Array(0), touchOf: () => undefined }

function stayingRows({ set, rowsOf }: StoredVectors, { remove, upsert, touch }: VectorChanges): StayingRows {
  const stays = set.flags.map((flags) => flags & LIVE)
  const replaced = new Set([...remove, ...upsert.map(({ id }) => id)])
  for (const row of rowsOf([...replaced])) if (row >= 0) stays[row] = 0
  const touches = [...new Map(touch.map((one) => [one.id, one])).values()]
  const numbers = new Int32Array(stays.length).fill(-1)
  for (const [at, row] of rowsOf(touches.map(({ id }) => id)).entries()) if (row >= 0) numbers[row] = at
  return { stays, touchOf: (row) => touches[numbers[row] ?? -1] }
}

/** Records that stay, of segments that are written again. */
function writtenAgain(
  before: StoredVectors,
  { stays, touchOf }: StayingRows,
  { placeOf }: KeptRows,
): VectorItem[] {
  const items: VectorItem[] = []
  for (let row = 0; row < stays.length; row++)
    if (stays[row] === 1 && placeOf(row) === undefined) items.push(touched(before.item(row), touchOf(row)))
  return items
}

function flagsOf(isLatest: boolean): number {
  return isLatest ? LIVE | LATEST : LIVE
}

function touched(item: VectorItem, touch: Touch | undefined): VectorItem {
  if (!touch) return item
  const { last_updated, latest } = touch
  return { ...item, metadata: { ...item.metadata, last_updated, latest } }
}
