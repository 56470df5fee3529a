import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  type Disk,
  isJsonObject,
  isSatchelError,
  removeQuietly,
  replaceFile,
  systemCode,
} from '../../../server/plugin.ts'
import { sha256Hex } from '../domain/record-id.ts'
import { ensureOwnFolder, replaceCacheFile } from './ensure-folder.ts'
import { trimChanges } from './folder-changes.ts'
import type { Layer } from './layers.ts'
import { type Layout, RECORD_MODE } from './layout.ts'
import { DamagedSegment, openSegment, type Segment } from './open-segment.ts'

/** The index on disk: its segments, and the time that the folder of records had when they were complete. */
export interface SavedIndex {
  readonly layers: readonly Layer[]
  /** Undefined: files are missing. */
  readonly folderMs: number | undefined
  /** The time that the folder had when its files were last counted. */
  readonly countedMs: number | undefined
}

/** Incremented with every change of rows or segments. An index of another version is rebuilt. */
const VERSION = 6
const SEGMENT_FILE = /^segment-[0-9a-f]{16}\.bin$/
/** A segment of this age that the index does not name was left by a process that ended. */
const LEFT_OVER_MS = 60_000

/** Loads the index; what is missing, of another version or damaged is left out. */
export async function loadIndex(disk: Disk, layout: Layout): Promise<SavedIndex> {
  const { named, folderMs, countedMs } = await loadNames(disk, layout)
  const layers: Layer[] = []
  for (const { file, replaced } of named) {
    try {
      const segment = openSegment(disk, layout.cache, file)
      layers.push({ segment, replaced: marksIn(replaced, segment) })
    } catch (thrown) {
      if (!(thrown instanceof DamagedSegment)) throw thrown
    }
  }
  return { layers, folderMs: layers.length === named.length ? folderMs : undefined, countedMs }
}

interface NamedSegment {
  readonly file: string
  /** As base64, a bit for each row. */
  readonly replaced: string | undefined
}

interface IndexFile extends Omit<SavedIndex, 'layers'> {
  readonly named: readonly NamedSegment[]
}

async function loadNames(disk: Disk, layout: Layout): Promise<IndexFile> {
  const none = { named: [], folderMs: undefined, countedMs: undefined }
  try {
    const text = (await disk.readFile(join(layout.cache, 'index.json'))).toString('utf8')
    const lineEnd = text.indexOf('\n')
    const body = text.slice(lineEnd + 1)
    if (text.slice(0, lineEnd) !== headOf(body)) return none
    const value: unknown = JSON.parse(body)
    if (!isJsonObject(value) || !Array.isArray(value['segments'])) return none
    const named = value['segments'].flatMap((one) => namedSegment(one) ?? [])
    if (named.length !== value['segments'].length) return none
    return { named, folderMs: timeIn(value['folder_ms']), countedMs: timeIn(value['counted_ms']) }
  } catch {
    return none // derived data: it is rebuilt
  }
}

function namedSegment(value: unknown): NamedSegment | undefined {
  if (!isJsonObject(value)) return undefined
  const { file, replaced } = value
  if (typeof file !== 'string' || !SEGMENT_FILE.test(file)) return undefined
  return replaced === undefined || typeof replaced === 'string' ? { file, replaced } : undefined
}

function timeIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function marksIn(text: string | undefined, { file, count }: Segment): Uint8Array | undefined {
  if (text === undefined) return undefined
  const bits = Buffer.from(text, 'base64')
  if (bits.length !== Math.ceil(count / 8)) throw new DamagedSegment(file)
  return Uint8Array.from({ length: count }, (_, row) => ((bits[row >> 3] ?? 0) >> (row & 7)) & 1)
}

function marksOf(replaced: Uint8Array): string {
  const bits = Buffer.alloc(Math.ceil(replaced.length / 8))
  for (const [row, mark] of replaced.entries()) bits[row >> 3] = (bits[row >> 3] ?? 0) | (mark << (row & 7))
  return bits.toString('base64')
}

/**
 * Saves the index and returns its layers, all of them in files. Does nothing if the store cannot be written, and
 * returns the given ones then.
 */
export async function saveIndex(
  disk: Disk,
  layout: Layout,
  { layers, folderMs, countedMs }: SavedIndex,
  nowMs: number,
): Promise<readonly Layer[]> {
  try {
    await ensureOwnFolder(disk, layout.cache)
    const saved: Layer[] = []
    for (const layer of layers) {
      const { bytes } = layer.segment
      saved.push(bytes ? { ...layer, segment: await written(disk, layout, bytes) } : layer)
    }
    const segments = saved.map(({ segment: { file }, replaced }) => ({
      file,
      ...(replaced && { replaced: marksOf(replaced) }),
    }))
    const body = JSON.stringify({ folder_ms: folderMs ?? null, counted_ms: countedMs ?? null, segments })
    await replaceCacheFile(disk, layout.cache, 'index', `${headOf(body)}\n${body}`)
    const files = new Set(segments.flatMap(({ file }) => file ?? []))
    await removeLeftOver(disk, layout, { files, nowMs })
    await trimChanges(disk, layout, folderMs ?? nowMs)
    return saved
  } catch (thrown) {
    if (systemCode(thrown) === undefined && !isSatchelError(thrown) && !(thrown instanceof DamagedSegment))
      throw thrown
    return layers
  }
}

/** Writes a segment into a file of its own, and opens it there. */
export async function written(disk: Disk, layout: Layout, bytes: Buffer): Promise<Segment> {
  await ensureOwnFolder(disk, layout.cache)
  const file = `segment-${randomBytes(8).toString('hex')}.bin`
  const temp = join(layout.cache, `${file}-${process.pid}`)
  await replaceFile(join(layout.cache, file), bytes, { disk, mode: RECORD_MODE, temp })
  return openSegment(disk, layout.cache, file)
}

async function removeLeftOver(
  disk: Disk,
  layout: Layout,
  { files, nowMs }: { readonly files: ReadonlySet<string>; readonly nowMs: number },
): Promise<void> {
  for (const name of await disk.list(layout.cache)) {
    if (!name.startsWith('segment-') || files.has(name)) continue
    const path = join(layout.cache, name)
    const stat = await disk.stat(path)
    if (stat && nowMs - stat.modifiedMs > LEFT_OVER_MS) await removeQuietly(disk, path)
  }
}

function headOf(body: string): string {
  return JSON.stringify({ version: VERSION, sha256: sha256Hex(body) })
}
