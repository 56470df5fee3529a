import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { refusals } from '../reasons.ts'
import { type Disk, dropTemp, orMissing } from './disk.ts'

/**
 * Makes a folder of the store where there is none. A link in its place would lead writes out of the project.
 * Errors: `unavailable`/`store_unwritable`; the disk's own.
 */
export async function ensureFolder(disk: Disk, folder: string): Promise<void> {
  const found = await orMissing(disk.stat(folder))
  if (found?.isDirectory) return
  if (!found) return disk.makeDirectory(folder)
  throw refusals.store_not_a_folder()
}

/** Replaces a file of the cache folder as a whole. The temporary file is removed when that fails. */
export async function replaceCacheFile(disk: Disk, cache: string, name: string, text: string): Promise<void> {
  const temp = join(cache, `${name}-${process.pid}-${randomBytes(6).toString('hex')}`)
  await ensureFolder(disk, cache)
  try {
    await disk.writeNew(temp, text)
    await disk.rename(temp, join(cache, `${name}.json`))
  } catch (thrown) {
    await dropTemp(disk, temp)
    throw thrown
  }
}
