import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { makeDirectoryDurably, TEMP_PREFIX, writeFileDurably } from '../platform/durable-file.ts'
import { removeFile } from '../platform/file-tree.ts'
import { readRegularFile } from '../platform/regular-file.ts'

/** Holds 64 MiB of a file in base64. */
const MAX_BYTES = 100 * 1024 * 1024
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

const savedFile = z.object({
  format: z.literal(1),
  path: z.string(),
  /** The digest before and after the change; null: there was no file. */
  before_digest: z.string().nullable(),
  after_digest: z.string(),
  /** The bytes before, in base64. */
  before: z.string().nullable(),
  /** Folders that were made for the file, the deepest first. */
  made_folders: z.array(z.string()),
})

/** What is kept of a configuration file that satchel changed. It may hold secrets of the user. */
export type SavedFile = z.output<typeof savedFile>

/** What is kept of the file at this real path; undefined if that is nothing usable. */
export async function loadSaved(folder: string, path: string): Promise<SavedFile | undefined> {
  const found = await readRegularFile(fileOf(folder, path), MAX_BYTES).catch(() => undefined)
  if (found?.kind !== 'text') return undefined
  try {
    return savedFile.parse(JSON.parse(found.text))
  } catch {
    return undefined // the entries are taken out of the file as it is
  }
}

/** Keeps a record, readable for this user only; on disk when it resolves. Errors: the file system's. */
export async function keepSaved(folder: string, saved: SavedFile): Promise<void> {
  await makeDirectoryDurably(folder, FOLDER_MODE)
  await writeFileDurably(fileOf(folder, saved.path), `${JSON.stringify(saved)}\n`, { mode: FILE_MODE })
}

export async function forgetSaved(folder: string, path: string): Promise<void> {
  await removeFile(fileOf(folder, path))
}

/** Removes what a killed setup was writing there, which may hold secrets. Only while no other setup runs. */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder)
  await Promise.all(
    names.filter((name) => name.startsWith(TEMP_PREFIX)).map((name) => removeFile(join(folder, name))),
  )
}

function fileOf(folder: string, path: string): string {
  return join(folder, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`)
}
