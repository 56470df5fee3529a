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
import { ensureFolder, replaceCacheFile } from './ensure-folder.ts'
import { trimChanges } from './folder-changes.ts'
import { type Layout, RECORD_MODE } from './layout.ts'
import { DamagedSegment, openSegment, type Segment } from './open-segment.ts'

/** The index on disk: its segments, and the time that the folder of records had when they were complete. */
export interface SavedIndex {
  readonly segments: readonly Segment[]
  /** Undefined: files are missing. */
  readonly folderMs: number | undefined
}

/** Incremented with every change of rows or segments. An index of another version is rebuilt. */
const VERSION = 2
const SEGMENT_FILE = /^segment-[0-9a-f]{16}\.bin$/
/** A segment of this age that the index does not name was left by a process that ended. */
const LEFT_OVER_MS = 60_000

/** Loads the index; what is missing, of another version or damaged is left out. */
export async function loadIndex(disk: Disk, layout: Layout): Promise<SavedIndex> {
  const { files, folderMs } = await loadNames(disk, layout)
  const segments: Segment[] = []
  for (const file of files) {
    try {
      segments.push(await openSegment(disk, layout.cache, file))
    } catch (thrown) {
      if (!(thrown instanceof DamagedSegment)) throw thrown
    }
  }
  return { segments, folderMs: segments.length === files.length ? folderMs : undefined }
}

async function loadNames(
  disk: Disk,
  layout: Layout,
): Promise<{ readonly files: readonly string[]; readonly folderMs: number | undefined }> {
  const none = { files: [], folderMs: undefined }
  try {
    const text = (await disk.readFile(join(layout.cache, 'index.json'))).toString('utf8')
    const lineEnd = text.indexOf('\n')
    const body = text.slice(lineEnd + 1)
    if (text.slice(0, lineEnd) !== headOf(body)) return none
    const value: unknown = JSON.parse(body)
    if (!isJsonObject(value) || !Array.isArray(value['segments'])) return none
    const files = value['segments'].filter((file) => typeof file === 'string' && SEGMENT_FILE.test(file))
    const folderMs = value['folder_ms']
    if (files.length !== value['segments'].length) return none
    return { files, folderMs: typeof folderMs === 'number' ? folderMs : undefined }
  } catch {
    return none // derived data: it is rebuilt
  }
}

/**
 * Saves the index and returns its segments, all of them in files. Does nothing if the store cannot be written, and
 * returns the given ones then.
 */
export async function saveIndex(
  disk: Disk,
  layout: Layout,
  { segments, folderMs }: SavedIndex,
  nowMs: number,
): Promise<readonly Segment[]> {
  try {
    await ensureFolder(disk, layout.cache)
    const saved: Segment[] = []
    for (const segment of segments)
      saved.push(segment.bytes ? await written(disk, layout, segment.bytes) : segment)
    const files = saved.flatMap(({ file }) => file ?? [])
    const body = JSON.stringify({ folder_ms: folderMs ?? null, segments: files })
    await replaceCacheFile(disk, layout.cache, 'index', `${headOf(body)}\n${body}`)
    await removeLeftOver(disk, layout, { files: new Set(files), nowMs })
    await trimChanges(disk, layout, folderMs ?? nowMs)
    return saved
  } catch (thrown) {
    if (systemCode(thrown) === undefined && !isSatchelError(thrown) && !(thrown instanceof DamagedSegment))
      throw thrown
    return segments
  }
}

/** Writes a segment into a file of its own, and opens it there. */
export async function written(disk: Disk, layout: Layout, bytes: Buffer): Promise<Segment> {
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
