/** Reads a commit from the clone that an ingest left. */
import { isSatchelError } from '../../../server/plugin.ts'
import { type Blobs, openBlobs } from './blobs.ts'
import { gitEnvironment } from './environment.ts'
import { abortError } from './failure.ts'
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

/** One git process for all reads of a clone that overlap. */
interface SharedReader {
  readonly blobs: Blobs
  users: number
}

/** The readers in use, by the folder of the clone. */
const readers = new Map<string, SharedReader>()

/**
 * What `read` gives. Undefined where there is no clone, and where it lacks the commit or an ingest is changing it: what is
 * read this way adds to an answer that is complete without it. Nothing is fetched. Reads that overlap share a git process,
 * because each start of one holds a busy server up.
 */
export async function readClone<T>(
  { cloneDir, repository, env, signal }: ClonePlace,
  read: (trees: TreeReader, blobs: Blobs) => Promise<T | undefined>,
): Promise<T | undefined> {
  const gitDir = await findStore(cloneDir, repository)
  if (gitDir === undefined) return undefined
  if (signal.aborted) throw abortError(signal)
  const reader = join(gitDir, gitEnvironment(env, { gitDir, ceiling: cloneDir }))
  try {
    return await untilAborted(read(createTreeReader(reader.blobs), reader.blobs), signal)
  } catch (thrown) {
    if (readers.get(gitDir) === reader) readers.delete(gitDir) // its process may have ended: the next read starts one
    if (isSatchelError(thrown) && thrown.code !== 'cancelled') return undefined
    throw thrown
  } finally {
    await leave(gitDir, reader)
  }
}

function join(gitDir: string, environment: Readonly<Record<string, string>>): SharedReader {
  const reader = readers.get(gitDir) ?? open(gitDir, environment)
  reader.users += 1
  return reader
}

function open(gitDir: string, environment: Readonly<Record<string, string>>): SharedReader {
  const { signal } = new AbortController() // a caller that gives up does not end the reads of others
  const reader = { blobs: openBlobs({ baseDir: gitDir, environment, signal }), users: 0 }
  readers.set(gitDir, reader)
  return reader
}

/** The last one to leave ends the process. */
async function leave(gitDir: string, reader: SharedReader): Promise<void> {
  reader.users -= 1
  if (reader.users > 0) return
  if (readers.get(gitDir) === reader) readers.delete(gitDir)
  await reader.blobs.close()
}

/** Rejects when the signal aborts; the work itself goes on until its reader is closed. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(abortError(signal))
    signal.addEventListener('abort', abort, { once: true, signal: settled.signal })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    settled.abort()
  }
}
