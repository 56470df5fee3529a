import { chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const NOBODY = 65534

/**
 * Options of `spawn` for a process that file permissions hold: root may write anywhere, so its children become
 * nobody, who is given `folder` with everything below it.
 */
export function ordinaryUserOf(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  chownSync(folder, NOBODY, NOBODY)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chownSync(join(entry.parentPath, entry.name), NOBODY, NOBODY)
  }
  return { uid: NOBODY, gid: NOBODY }
}
