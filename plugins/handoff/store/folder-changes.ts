import { join } from 'node:path'
import { type Disk, isJsonObject, parsedJson, replaceFile, systemCode } from '../../../server/plugin.ts'
import { type Layout, newTemp, RECORD_MODE } from './layout.ts'

/** One write of ours into the folder of records: the folder's time before it and after it. */
export interface FolderChange {
  readonly name: string
  readonly before: number
  readonly after: number
}

const FILE = 'changes'
const MAX_BYTES = 64 * 1024
const NEWLINE = 10
/** Two changes within one clock tick of the file system look the same. */
export const YOUNG_MS = 50

/**
 * Runs `put`, which gives the file `name` its place in the folder of records, and notes it, so that an index need not
 * look at every file to find this one. Without an index, or where it cannot be written, nothing is noted: the next reader
 * looks at every file. So does one that comes between the step and its note: `put` is that step only, and waits for no disk.
 */
export async function notingChange(
  { disk, layout }: { readonly disk: Disk; readonly layout: Layout },
  name: string,
  put: () => Promise<void>,
): Promise<void> {
  const before = folderTime(disk, layout)
  await put()
  const change: FolderChange = { name, before, after: folderTime(disk, layout) }
  try {
    disk.appendSync(join(layout.cache, FILE), `${JSON.stringify(change)}\n`)
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown
  }
}

function folderTime(disk: Disk, layout: Layout): number {
  return disk.statSync(layout.records)?.modifiedMs ?? 0
}

/** The noted changes, oldest first; damaged lines are left out. */
export async function loadChanges(disk: Disk, layout: Layout): Promise<readonly FolderChange[]> {
  let text: string
  try {
    text = (await disk.readFile(join(layout.cache, FILE))).toString('utf8')
  } catch {
    return [] // without notes every file is looked at
  }
  return changesIn(text)
}

/**
 * Reads the noted changes again and again, each time only what was added: beside writers there are hundreds of notes, and
 * every list asks for them. A file that was replaced or cut is read from its start.
 */
export function createChangeReader(disk: Disk, layout: Layout): () => Promise<readonly FolderChange[]> {
  const file = join(layout.cache, FILE)
  let known = { inode: '', size: 0, changes: [] as readonly FolderChange[] }
  return async () => {
    const found = await disk.stat(file).catch(() => undefined)
    if (found?.kind !== 'file') return []
    if (found.inode !== known.inode || found.size < known.size) {
      known = { inode: found.inode, size: 0, changes: [] }
    }
    if (found.size === known.size) return known.changes
    const { inode, size, changes } = known
    const added = await disk.readPart(file, size, found.size - size).catch(() => undefined)
    if (added === undefined) return [] // without notes every file is looked at
    const whole = added.subarray(0, added.lastIndexOf(NEWLINE) + 1) // the rest of a line is being written
    known = { inode, size: size + whole.length, changes: [...changes, ...changesIn(whole.toString('utf8'))] }
    return known.changes
  }
}

function changesIn(text: string): readonly FolderChange[] {
  return text.split('\n').flatMap((line) => changeIn(line) ?? [])
}

function changeIn(line: string): FolderChange | undefined {
  const value = parsedJson(line)
  if (!isJsonObject(value)) return undefined
  const { name, before, after } = value
  if (typeof name !== 'string' || typeof before !== 'number' || typeof after !== 'number') return undefined
  return /^[0-9a-f-]{36}\.json$/.test(name) ? { name, before, after } : undefined
}

/** The files that were noted since the folder had the time `sinceMs`. */
export function changedSince(changes: readonly FolderChange[], sinceMs: number): readonly string[] {
  const recent = changes.filter(({ before, after }) => Math.max(before, after) >= sinceMs - YOUNG_MS)
  return [...new Set(recent.map(({ name }) => name))]
}

/**
 * True if the noted changes explain how the folder's time went from `sinceMs` to `nowMs`: no other program wrote. Those
 * that were noted since the look that gave `nowMs` do not matter.
 */
export function explains(changes: readonly FolderChange[], sinceMs: number, nowMs: number): boolean {
  let reached = sinceMs
  const later = changes.filter(({ after }) => after > sinceMs)
  for (const { before, after } of later.sort((a, b) => a.before - b.before)) {
    if (reached === nowMs) return true
    if (before <= reached) reached = Math.max(reached, after)
  }
  return reached === nowMs
}

/** Drops old notes when there are many. A note that is lost meanwhile costs a look at every file. */
export async function trimChanges(disk: Disk, layout: Layout, sinceMs: number): Promise<void> {
  const file = join(layout.cache, FILE)
  if (((await disk.stat(file))?.size ?? 0) <= MAX_BYTES) return
  const kept = (await loadChanges(disk, layout)).filter(({ after }) => after >= sinceMs - 1000)
  const text = kept.map((change) => `${JSON.stringify(change)}\n`).join('')
  await replaceFile(file, text, { disk, mode: RECORD_MODE, temp: newTemp(layout, FILE) })
}
