import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Whether git can find no repository from a folder: neither it nor one above it has `.git`, or is a repository without a work
 * tree. False where that is not known.
 */
export function isOutsideRepositories(folder: string): boolean {
  try {
    let at = realpathSync.native(folder)
    for (;;) {
      if (existsSync(join(at, '.git')) || existsSync(join(at, 'HEAD'))) return false
      const above = dirname(at)
      if (above === at) return true
      at = above
    }
  } catch {
    return false // git says what is wrong with the folder
  }
}
