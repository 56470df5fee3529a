import { refusals } from '../reasons.ts'
import { type Disk, orMissing } from './disk.ts'

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
