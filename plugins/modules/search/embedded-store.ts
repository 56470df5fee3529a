import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Disk, orMissing, realDisk } from '../../../server/plugin.ts'
import { absentIfDamaged } from '../output/stored-format.ts'
import { refusals } from '../reasons.ts'
import { segmentsToKeep } from '../segments/merge-plan.ts'
import { DamagedFile } from '../segments/section-file.ts'
import {
  CURRENT,
  composeSet,
  emptyStates,
  keptRows,
  LATEST,
  LIVE,
  openSegmentSet,
  type SegmentSet,
  saveSegmentSet,
} from '../segments/segment-set.ts'
import { packText } from './packed-text.ts'
import { unpackStore } from './packed-vectors.ts'
import { closeLater } from './search-index.ts'
import { refuseOtherStore, type StoreHeader } from './store-header.ts'
import { type StoredVectors, storedVectors } from './stored-vectors.ts'
import type { StoredRecord } from './vector-record.ts'
import { vectorSegment } from './vector-segments.ts'
import { matchesOf, type VectorChanges, type VectorItem, type VectorStore } from './vector-store.ts'

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
    digests: () =>
      told(async () => {
        const vectors = await load()
        return new Map([...(vectors?.rows() ?? [])].map(([id, row]) => [id, vectors?.digest(row) ?? '']))
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
        return vectors?.select(filter).map(vectors.record) ?? []
      }),
    count: () => told(async () => (await load())?.live ?? 0),
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
  const { header, records, vectors } = unpackStore(disk.readFileSync(file).toString('utf8'), file)
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
  const removed = new Set([...changes.remove, ...changes.upsert.map(({ id }) => id)])
  const stays = [...(before?.rows() ?? [])].filter(([id]) => !removed.has(id))
  const touches = new Map(changes.touch.map((touch) => [touch.id, touch]))
  const staying = new Set(stays.map(([, row]) => row))
  const kept = before ? segmentsToKeep(before.set, changes.upsert.length, (row) => staying.has(row)) : []
  const { count, placeOf } = keptRows(kept)
  const again = itemsOf(
    before,
    stays.flatMap(([, row]) => (placeOf(row) === undefined ? [row] : [])),
  )
  const items = [...again.map((item) => touched(item, touches.get(item.id))), ...changes.upsert]
  const fresh = items.length === 0 ? undefined : vectorSegment(items)
  const states = emptyStates(count + items.length)
  for (const [id, row] of stays) {
    const place = placeOf(row)
    if (place === undefined || !before) continue
    const { flags, updated } = before.set
    const touch = touches.get(id)
    states.flags[place] = touch ? flagsOf(touch.latest) : (flags[row] ?? 0)
    states.updated[place] = touch ? Date.parse(touch.last_updated) : (updated[row] ?? 0)
  }
  if (fresh) {
    states.flags.set(fresh.states.flags, count)
    states.updated.set(fresh.states.updated, count)
  }
  return { set: composeSet(kept, fresh?.added, { meta: { header }, ...states }), added: fresh?.added }
}

/** From the last one on, because a segment reads its vectors up to the one that is asked for. */
function* itemsBackwards(vectors: StoredVectors): Generator<VectorItem> {
  for (const row of [...vectors.rows().values()].reverse()) yield vectors.item(row)
}

/** Records of segments that are written again. */
function itemsOf(before: StoredVectors | undefined, rows: readonly number[]): VectorItem[] {
  return before ? rows.map((row) => before.item(row)) : []
}

function flagsOf(isLatest: boolean): number {
  return isLatest ? LIVE | LATEST : LIVE
}

function touched(item: VectorItem, touch: VectorChanges['touch'][number] | undefined): VectorItem {
  if (!touch) return item
  const { last_updated, latest } = touch
  return { ...item, metadata: { ...item.metadata, last_updated, latest } }
}
