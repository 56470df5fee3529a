/** Reads the changelog of a repository from the clone that an ingest left. */
import { isSatchelError } from '../../../server/plugin.ts'
import { openBlobs } from './blobs.ts'
import { gitEnvironment } from './environment.ts'
import { findStore } from './store.ts'
import { createTreeReader } from './tree.ts'

/** Where to look. */
export interface ChangelogPlace {
  readonly cloneDir: string
  readonly repository: string
  readonly commit: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

const NAME = /^changelog(?:\.(?:md|markdown|txt))?$/i
const MAX_BYTES = 1024 * 1024

/**
 * The text of `CHANGELOG.md` at the root of a commit. Undefined where the commit has none, where it is larger than 1 MiB
 * or no text, and where there is no clone; nothing is fetched.
 */
export async function readChangelog(place: ChangelogPlace): Promise<string | undefined> {
  const { cloneDir, commit, env, signal } = place
  const gitDir = await findStore(cloneDir, place.repository)
  if (gitDir === undefined) return undefined
  const environment = gitEnvironment(env, { gitDir, ceiling: cloneDir })
  const blobs = openBlobs({ baseDir: gitDir, environment, signal })
  try {
    const tree = createTreeReader(blobs)
    const root = await tree.entryAt(commit, '.')
    const name = root?.entries?.find((entry) => NAME.test(entry.name ?? ''))?.name
    const found = name === undefined ? undefined : await tree.entryAt(commit, name)
    if (found === undefined || !found.mode.startsWith('100')) return undefined
    const bytes = (await blobs.read(found.oid, MAX_BYTES))?.bytes
    return bytes === undefined || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes)
  } catch (thrown) {
    // A clone that lacks the commit, or that an ingest is changing: the plan is complete without its changelog.
    if (isSatchelError(thrown) && thrown.code !== 'cancelled') return undefined
    throw thrown
  } finally {
    await blobs.close()
  }
}
