import { readdir } from 'node:fs/promises'
import { systemCode } from '../../../server/plugin.ts'

/**
 * The names in a folder, as written on disk: a file system that ignores case would also find others. None for a folder
 * that cannot be listed.
 */
export async function topNames(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder))
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === 'EACCES' || code === 'EPERM') return new Set()
    throw thrown
  }
}
