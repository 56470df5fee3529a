import { isAbsolute } from 'node:path'
import type { Project } from '../project.ts'

/**
 * The id of the project: `stored`, that of its store, by default read from it. A folder outside the project may have the
 * records of several projects: its id is that of the first, and the others are known by their own first commit. Undefined
 * where there is no id yet, or git took too long to tell the own one.
 */
export async function projectIdOf(project: Project, stored?: string): Promise<string | undefined> {
  const known = stored ?? (await project.store.projectId())
  if (known !== undefined && !(known.startsWith('git:') && isShared(project))) return known
  const root = await project.rootCommit()
  if (root === 'untold') return undefined
  return root === 'none' ? known : `git:${root.commit}`
}

function isShared({ store, storePrefix }: Project): boolean {
  return store.keepsFiles && (storePrefix.startsWith('..') || isAbsolute(storePrefix))
}
