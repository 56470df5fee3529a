import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, makeDirectoryDurably, removeQuietly, writeFileDurably } from '../../../server/plugin.ts'
import {
  DamagedFile,
  fileSource,
  memorySource,
  openSectionFile,
  type SectionFile,
  sectionFileBytes,
} from './section-file.ts'
import { bytesOf, uint16s } from './term-dictionary.ts'

/** What changes of a record while its segment stays. */
export interface RecordStates {
  readonly flags: Uint8Array
  /** Place among the versions of its module, newest first. */
  readonly places: Uint16Array
  /** When it was last ingested, in milliseconds since 1970. */
  readonly updated: Float64Array
}

/** Flags of a record: not replaced or removed since; the latest version of its module; the newest release lacks its module. */
export const LIVE = 1
export const LATEST = 2
export const ENDED = 4

/** One immutable file of records, numbered in the set from `base`. */
export interface Segment {
  readonly name: string
  readonly file: SectionFile
  readonly base: number
  readonly records: number
}

/**
 * Records in immutable segments with one small file that says which of them count: it is replaced as a whole, so a
 * reader sees the state before an update or after it.
 */
export interface SegmentSet extends RecordStates {
  /** What the writer said about the set. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly segments: readonly Segment[]
  readonly records: number
}

/** A segment to be added to a set. */
export interface NewSegment {
  readonly records: number
  readonly bytes: Buffer
}

/** The file that says which segments and records count. */
export const CURRENT = 'current'
const OPEN_TRIES = 5

interface SetMeta {
  readonly meta: Readonly<Record<string, unknown>>
  readonly segments: readonly { readonly name: string; readonly records: number }[]
}

/** Opens the set in a folder; undefined where there is none. Errors: `DamagedFile`. */
export function openSegmentSet(folder: string, disk: Disk): SegmentSet | undefined {
  for (let tries = 1; ; tries++) {
    const current = readCurrent(folder, disk)
    if (!current) return undefined
    const { segments, ...rest } = current
    const opened = segments.map(({ name, records }) => ({
      records,
      source: fileSource(join(folder, name), disk),
      name,
    }))
    if (opened.every(({ source }) => source !== undefined)) {
      return numbered(
        opened.flatMap(({ name, records, source }) =>
          source ? [{ name, records, file: openSectionFile(source) }] : [],
        ),
        rest,
      )
    }
    for (const { source } of opened) source?.close()
    // An update replaced it between the two reads: the next look sees the new one.
    if (tries === OPEN_TRIES) throw new DamagedFile('a part of it is missing')
  }
}

function readCurrent(folder: string, disk: Disk) {
  const source = fileSource(join(folder, CURRENT), disk)
  if (!source) return undefined
  try {
    const file = openSectionFile(source)
    const { meta, segments } = file.meta as SetMeta // as `saveSegmentSet` wrote it: its checksum fits
    const flags = new Uint8Array(file.whole('flags'))
    const places = uint16s(file.whole('places'))
    const updated = float64s(file.whole('updated'))
    return { meta, segments, flags, places, updated }
  } finally {
    source.close()
  }
}

function numbered(
  segments: readonly Omit<Segment, 'base'>[],
  rest: Pick<SegmentSet, 'meta' | keyof RecordStates>,
): SegmentSet {
  let base = 0
  const placed = segments.map((segment) => {
    const one = { ...segment, base }
    base += segment.records
    return one
  })
  if (rest.flags.length !== base) throw new DamagedFile('its parts do not belong together')
  return { ...rest, segments: placed, records: base }
}

/** A set of earlier segments and at most one new one, in memory. */
export function composeSet(
  kept: readonly Segment[],
  added: NewSegment | undefined,
  rest: Pick<SegmentSet, 'meta' | keyof RecordStates>,
): SegmentSet {
  const fresh = added && {
    name: nameOf(added.bytes),
    records: added.records,
    file: openSectionFile(memorySource(added.bytes)),
  }
  return numbered(fresh ? [...kept, fresh] : kept, rest)
}

/**
 * Makes the set durable: the new segment first, then the file that names it. A kill leaves the old or the new set.
 * The caller holds the lock of the folder. Errors are those of the file system.
 */
export async function saveSegmentSet(
  folder: string,
  set: SegmentSet,
  added: NewSegment | undefined,
  disk: Disk,
): Promise<void> {
  await makeDirectoryDurably(folder, undefined, disk)
  if (added) await writeFileDurably(join(folder, nameOf(added.bytes)), added.bytes, { disk })
  const segments = set.segments.map(({ name, records }) => ({ name, records }))
  const sections = {
    flags: set.flags,
    places: bytesOf(set.places),
    updated: bytesOf(set.updated),
  }
  const bytes = sectionFileBytes({ meta: set.meta, segments } satisfies SetMeta, sections)
  await writeFileDurably(join(folder, CURRENT), bytes, { disk })
  await removeOthers(folder, new Set(segments.map(({ name }) => name)), disk)
}

/** Segments, and temporary files of a run that was killed. */
const OURS = /^(?:[0-9a-f]{32}\.segment|\.tmp-\d+-[0-9a-f]{12})$/

/** Segments that no set names any more. A reader that has one open keeps it. */
async function removeOthers(folder: string, named: ReadonlySet<string>, disk: Disk): Promise<void> {
  for (const name of await disk.list(folder)) {
    if (OURS.test(name) && !named.has(name)) await removeQuietly(disk, join(folder, name))
  }
}

/** By its content, so that a name never means two things. */
function nameOf(bytes: Buffer): string {
  return `${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.segment`
}

/** The numbers of a section that was read from its start. */
export function float64s(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8)
}

/** Where the rows of kept segments are once a set is composed of them, and how many those are. */
export function keptRows(kept: readonly Segment[]): {
  readonly count: number
  /** The new row of an old one; undefined for a row of another segment. */
  placeOf(row: number): number | undefined
} {
  const ends = kept.map(({ base, records }) => base + records)
  const places = new Int32Array(Math.max(0, ...ends)).fill(-1)
  let count = 0
  for (const { base, records } of kept)
    for (let row = base; row < base + records; row++) places[row] = count++
  return {
    count,
    placeOf(row) {
      const place = places[row] ?? -1
      return place === -1 ? undefined : place
    },
  }
}

/** Room for the states of `records` records. */
export function emptyStates(records: number): RecordStates {
  return {
    flags: new Uint8Array(records),
    places: new Uint16Array(records),
    updated: new Float64Array(records),
  }
}
