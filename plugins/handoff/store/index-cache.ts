import { join } from 'node:path'
import { type Disk, isJsonObject, isSatchelError, systemCode } from '../../../server/plugin.ts'
import { sha256Hex } from '../domain/record-id.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { replaceCacheFile } from './ensure-folder.ts'
import type { Layout } from './layout.ts'
import type { Problem } from './read-record.ts'

/** Cached facts of one file; valid while its time and size stay the same. */
export interface IndexEntry {
  readonly mtimeMs: number
  readonly size: number
  readonly row?: RecordRow
  readonly problem?: Problem
}

export type IndexEntries = ReadonlyMap<string, IndexEntry>

/** Incremented with every change of the rows. An index of another version is rebuilt. */
const VERSION = 2

/** Loads the index file; undefined if it is missing, of another version, or damaged. */
export async function loadIndex(disk: Disk, layout: Layout): Promise<IndexEntries | undefined> {
  let text: string
  try {
    text = (await disk.readFile(fileOf(layout))).toString('utf8')
  } catch {
    return undefined // derived data: it is rebuilt
  }
  const lineEnd = text.indexOf('\n')
  const body = text.slice(lineEnd + 1)
  if (text.slice(0, lineEnd) !== headOf(body)) return undefined
  return entriesIn(body)
}

/** Parses the entries; undefined for another shape, since a checkout may contain a foreign index. */
function entriesIn(body: string): IndexEntries | undefined {
  try {
    const entries: unknown = JSON.parse(body)
    return Array.isArray(entries) && entries.every(isNamedEntry) ? new Map(entries) : undefined
  } catch {
    return undefined
  }
}

function isNamedEntry(value: unknown): value is readonly [string, IndexEntry] {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !isJsonObject(value[1])) return false
  const { mtimeMs, size, row, problem } = value[1]
  return typeof mtimeMs === 'number' && typeof size === 'number' && isJsonObject(row ?? problem)
}

/** Writes the index. Does nothing if the store cannot be written. */
export async function saveIndex(disk: Disk, layout: Layout, entries: IndexEntries): Promise<void> {
  const body = JSON.stringify([...entries])
  try {
    await replaceCacheFile(disk, layout.cache, 'index', `${headOf(body)}\n${body}`)
  } catch (thrown) {
    if (systemCode(thrown) === undefined && !isSatchelError(thrown)) throw thrown
  }
}

function headOf(body: string): string {
  return JSON.stringify({ version: VERSION, sha256: sha256Hex(body) })
}

function fileOf(layout: Layout): string {
  return join(layout.cache, 'index.json')
}
