import { statSync } from 'node:fs'
import { join } from 'node:path'
import { homeFolder } from './platform/home-folder.ts'

/** Permission to write of other users. */
const OTHERS_WRITE = 0o022

/** The folder of satchel in the cache of this user; it may not exist. */
export function userCache(env: Readonly<Record<string, string | undefined>>): string {
  const cache = env['XDG_CACHE_HOME'] || env['LOCALAPPDATA'] || join(env['HOME'] || homeFolder(), '.cache')
  return join(cache, 'satchel')
}

/** True for a file or folder that only this user can have written; false where there is none. */
export function isOwn(path: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false })
  if (!info) return false
  return process.platform === 'win32' || (info.uid === process.getuid?.() && (info.mode & OTHERS_WRITE) === 0)
}
