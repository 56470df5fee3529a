import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, makeDirectoryDurably, replaceFile } from '../../../server/plugin.ts'
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
  throw refusals.store_not_a_folder()
}

/** Replaces a file of the cache folder as a whole. The temporary file is removed when that fails. */
export async function replaceCacheFile(disk: Disk, cache: string, name: string, text: string): Promise<void> {
  const temp = join(cache, `${name}-${process.pid}-${randomBytes(6).toString('hex')}`)
  await ensureFolder(disk, cache)
  await replaceFile(join(cache, `${name}.json`), text, { disk, mode: RECORD_MODE, temp })
}
