/** A module of a registry as a repository whose tags are its versions: kept in a store of ours like any other. */
import { dirname } from 'node:path'
import { type Blobs, openBlobs } from '../git/blobs.ts'
import { createGit } from '../git/command.ts'
import { gitEnvironment } from '../git/environment.ts'
import type { RemoteListing, RemoteRef } from '../git/remote.ts'
import type { Repository } from '../git/repository.ts'
import { ensureStore, findStore, privateRef, tidyStore } from '../git/store.ts'
import { refusals } from '../reasons.ts'
import { type Connection, openConnection, type RegistryOptions } from './connection.ts'
import {
  attempt,
  currentCommit,
  fetchVersions,
  type HeldVersion,
  inSteps,
  type VersionReading,
} from './fetch-versions.ts'

/** The commit of a version that is not in the store, and of one that has to be read again. */
const NOT_HELD = '0'.repeat(40)
/** What is listed and is not a version is named up to this count. */
const MAX_REFUSED = 10
const MAX_COMMIT_BYTES = 64 * 1024

/**
 * Asks nothing before the first call. What a version of an archive is made of is a commit of our own: equal files give
 * equal ids. Its owner calls `close`.
 */
export function openRegistryRepository(options: RegistryOptions & Pick<VersionReading, 'warn'>): Repository {
  const { storePath, workDir, signal } = options
  const environment = gitEnvironment(options.env, { gitDir: storePath, ceiling: workDir })
  let connection: Promise<Connection> | undefined
  let reader: Blobs | undefined
  const reading: VersionReading = {
    ...options,
    environment,
    addresses: new Map(),
    failures: new Map(),
    connect() {
      connection ??= openConnection(options)
      return connection
    },
    blobs() {
      reader ??= openBlobs({ baseDir: workDir, environment, signal })
      return reader
    },
  }
  const close = async (): Promise<void> => {
    await reader?.close()
    reader = undefined
  }
  return {
    list: () => listVersions(reading),
    settle: (refs) =>
      inSteps(refs, async (ref) => {
        const { fullName } = ref
        const held = ref.commit === NOT_HELD ? undefined : await heldVersion(reading, fullName)
        const commit = await attempt(reading, fullName, () => currentCommit(reading, fullName, held))
        return { ...ref, commit: commit ?? NOT_HELD }
      }),
    async fetch(refs) {
      await close()
      await ensureStore(storePath, 'sha1')
      reading.failures.clear() // what could not be compared is read
      const wanted = refs.filter(({ fullName }) => fullName.startsWith('refs/tags/'))
      await fetchVersions(
        reading,
        wanted.map(({ fullName }) => fullName),
      )
      await tidyStore(
        storePath,
        createGit({ baseDir: workDir, environment, signal, hidden: [storePath, workDir] }),
      )
      const found = wanted.map(async ({ fullName }) => {
        const held = reading.failures.has(fullName) ? undefined : await heldVersion(reading, fullName)
        return held === undefined ? [] : [[fullName, held.commit] as const]
      })
      return new Map((await Promise.all(found)).flat())
    },
    failureOf: (fullName) => reading.failures.get(fullName),
    blobs: reading.blobs,
    async close() {
      await close()
      const opened = await connection?.catch(() => undefined)
      await opened?.close()
    },
  }
}

async function listVersions(reading: VersionReading): Promise<RemoteListing> {
  const { remote, storePath } = reading
  const { protocol } = await reading.connect()
  const { versions, refused } = await protocol.versions()
  if (versions.length === 0) throw refusals.registry_without_versions({ host: remote.host })
  const hasStore = (await findStore(dirname(storePath), remote.url)) === storePath
  const tags = versions.map(async (name): Promise<readonly [string, RemoteRef]> => {
    const held = hasStore ? await heldVersion(reading, `refs/tags/${name}`) : undefined
    return [name, { kind: 'tag', name, commit: held?.commit ?? NOT_HELD }]
  })
  return {
    branches: new Map(),
    tags: new Map(await Promise.all(tags)),
    defaultBranch: undefined,
    objectFormat: 'sha1',
    refused: refused.slice(0, MAX_REFUSED),
  }
}

async function heldVersion({ blobs }: VersionReading, fullName: string): Promise<HeldVersion | undefined> {
  const found = await blobs().read(`${privateRef(fullName)}^{commit}`, MAX_COMMIT_BYTES)
  const text = found?.bytes?.toString('utf8') ?? ''
  return found && { commit: found.oid, message: text.slice(text.indexOf('\n\n') + 2) }
}
