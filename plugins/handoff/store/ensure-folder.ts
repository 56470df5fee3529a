import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { type Disk, ignoreFolder, makeDirectoryDurably, replaceFile } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { RECORD_MODE } from './layout.ts'

/**
 * Makes a folder of the store where there is none. A link in its place would lead writes out of the project.
 * Errors: `unavailable`/`store_unwritable`; the disk's own.
 */
export async function ensureFolder(disk: Disk, folder: string): Promise<void> {
  const found = await disk.stat(folder)
  if (found?.kind === 'directory') return
  if (!found) return makeDirectoryDurably(folder, 0o755, disk)
  throw refusals.store_not_a_folder({ folder: basename(folder) })
}

/** The same for a folder of what one machine needs, which git ignores. */
export async function ensureOwnFolder(disk: Disk, folder: string): Promise<void> {
  await ensureFolder(disk, folder)
  await ignoreFolder(folder, { disk, mode: RECORD_MODE })
}

/** Replaces a file of the cache folder as a whole. The temporary file is removed when that fails. */
export async function replaceCacheFile(disk: Disk, cache: string, name: string, text: string): Promise<void> {
  await ensureOwnFolder(disk, cache)
  await replaceIn(disk, cache, `${name}.json`, text)
}

/** Replaces a file of the local folder as a whole. The name may lead through one folder in it. */
export async function replaceLocalFile(disk: Disk, local: string, name: string, text: string): Promise<void> {
  await ensureOwnFolder(disk, local)
  const folder = dirname(join(local, name))
  await ensureFolder(disk, folder)
  await replaceIn(disk, folder, `${basename(name)}.json`, text)
}

function replaceIn(disk: Disk, folder: string, file: string, text: string): Promise<void> {
  const temp = join(folder, `${file}-${process.pid}-${randomBytes(6).toString('hex')}`)
  return replaceFile(join(folder, file), text, { disk, mode: RECORD_MODE, temp })
}
