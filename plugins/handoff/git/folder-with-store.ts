import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { homeFolder } from '../../../server/plugin.ts'
import { isSubmodule, mainWorktreeOf } from './linked-worktree.ts'

/**
 * The nearest folder at or above `start` that has a store, which may be empty: git keeps no empty folder of records. That
 * of a linked work tree is the main one's. A repository ends the search, but a submodule is part of the repository around
 * it; outside of one the home folder does: what is kept there is not about every project below.
 */
export async function folderWithStore(start: string, store: string): Promise<string | undefined> {
  for (let at = resolve(start); ; at = dirname(at)) {
    if (await isFolder(resolve(mainWorktreeOf(at) ?? at, store))) return at
    const isRoot = (await exists(join(at, '.git'))) && !isSubmodule(at)
    if (isRoot || dirname(at) === at || dirname(at) === homeFolder()) return undefined
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false, // an unreadable folder counts as no store
  )
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
