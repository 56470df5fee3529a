import { isAbsolute } from 'node:path'
import { rootCommit } from '../git/repository.ts'
import type { Project } from '../project.ts'

/**
 * The id of the project: `stored`, that of its store, by default read from it. A folder outside the project may have the
 * records of several projects: its id is that of the first, and the others are known by their own first commit.
 */
export async function projectIdOf(project: Project, stored?: string): Promise<string | undefined> {
  const known = stored ?? (await project.store.projectId())
  if (known !== undefined && !(known.startsWith('git:') && isShared(project))) return known
  const commit = await rootCommit(project.git)
  return commit ? `git:${commit}` : known
}

function isShared({ store, storePrefix }: Project): boolean {
  return store.keepsFiles && (storePrefix.startsWith('..') || isAbsolute(storePrefix))
}
