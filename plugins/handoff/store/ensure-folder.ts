import { SatchelError } from '../../../server/plugin.ts'
import { type Disk, orMissing } from './disk.ts'

/**
 * Makes a folder of the store where there is none. A link in its place would lead writes out of the project.
 * Errors: `unavailable`/`store_unwritable`; the disk's own.
 */
export async function ensureFolder(disk: Disk, folder: string): Promise<void> {
  const found = await orMissing(disk.stat(folder))
  if (found?.isDirectory) return
  if (!found) return disk.makeDirectory(folder)
  throw new SatchelError(
    'unavailable',
    'store_unwritable',
    'A folder of the handoff store is a link or a file; nothing was written. Make it a folder, or set handoff.store to another one.',
  )
}
