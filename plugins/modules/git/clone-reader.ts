/** Reads a commit from the clone that an ingest left. */
import { isSatchelError } from '../../../server/plugin.ts'
import { type Blobs, openBlobs } from './blobs.ts'
import { gitEnvironment } from './environment.ts'
import { findStore } from './store.ts'
import { createTreeReader, type TreeReader } from './tree.ts'

/** Where to look. */
export interface ClonePlace {
  readonly cloneDir: string
  readonly repository: string
  readonly commit: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/**
 * What `read` gives. Undefined where there is no clone, and where it lacks the commit or an ingest is changing it: what is
 * read this way adds to an answer that is complete without it. Nothing is fetched.
 */
export async function readClone<T>(
  { cloneDir, repository, env, signal }: ClonePlace,
  read: (trees: TreeReader, blobs: Blobs) => Promise<T | undefined>,
): Promise<T | undefined> {
  const gitDir = await findStore(cloneDir, repository)
  if (gitDir === undefined) return undefined
  const environment = gitEnvironment(env, { gitDir, ceiling: cloneDir })
  const blobs = openBlobs({ baseDir: gitDir, environment, signal })
  try {
    return await read(createTreeReader(blobs), blobs)
  } catch (thrown) {
    if (isSatchelError(thrown) && thrown.code !== 'cancelled') return undefined
    throw thrown
  } finally {
    await blobs.close()
  }
}
