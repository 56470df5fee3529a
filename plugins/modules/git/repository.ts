import { realpath } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isSatchelError, type SatchelError, systemCode } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Admission } from './admission.ts'
import { type Blobs, openBlobs } from './blobs.ts'
import { createGit, type Git } from './command.ts'
import { credentialConfig, type EnvironmentWishes, gitEnvironment, secretsOf } from './environment.ts'
import { gitFailure, missingRef, refusesShallow } from './failure.ts'
import type { KeptPlace } from './kept-listing.ts'
import { type OperatorGit, readOperatorGit, requirePinning } from './operator-git.ts'
import { listLocal, listRemote, type RemoteListing } from './remote.ts'
import { ensureStore, privateRef, removeHalfPacks, tidyStore } from './store.ts'
import { MAX_STORE_BYTES, withinSize } from './store-size.ts'
import { parseRemoteUrl, type RemoteUrl } from './url.ts'

export interface RepositoryOptions {
  readonly admission: Admission
  /** Path of the bare store; it may not exist yet. */
  readonly storePath: string
  /** Existing directory; git searches no repository above it. */
  readonly workDir: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Delays before the second and third attempt after `network` or `timeout`. */
  readonly retryDelaysMs: readonly number[]
  /** Absent: that of modules design 8. */
  readonly maxStoreBytes?: number
  /** Absent: the listing of a repository on this machine is not kept. */
  readonly keptListing?: KeptPlace | undefined
}

/** A ref by its full name, and the commit that it names. */
export interface WantedRef {
  readonly fullName: string
  readonly commit: string
}

/** One repository as git sees it: the remote, and our bare store of the refs that were asked for. Owner calls `close`. */
export interface Repository {
  list(): Promise<RemoteListing>
  /** The refs with the commits that they name now; absent where the listing told them. */
  settle?<Ref extends WantedRef>(refs: readonly Ref[]): Promise<readonly Ref[]>
  /**
   * Fetches exactly these refs, one commit deep. Returns the commit of each by its full name, without
   * refs that no longer exist. A local partial copy, which git cannot serve, is read in place.
   */
  fetch(refs: readonly WantedRef[], objectFormat: 'sha1' | 'sha256'): Promise<ReadonlyMap<string, string>>
  /** Why `settle` or `fetch` gave no commit for a ref, where more is known than that it does not exist. */
  failureOf?(fullName: string): unknown
  /** Only after `fetch`. */
  blobs(): Blobs
  close(): Promise<void>
}

/** Defaults of modules design 2.6. */
export const RETRY_DELAYS_MS: readonly number[] = [1000, 4000]
const REFSPECS_A_CALL = 200

/** Prepares access; the first command runs at the first call. */
export function openRepository(options: RepositoryOptions): Repository {
  const { admission, storePath, signal, workDir } = options
  const { remote } = admission
  const hidden = [...secretsOf(remote), storePath, workDir]
  let transport: Promise<(gitDir: string) => Git> | undefined
  let blobs: Blobs | undefined
  let alternateObjects: string | undefined

  const environmentAt = (gitDir: string) =>
    gitEnvironment(options.env, { gitDir, ceiling: workDir, ...(alternateObjects && { alternateObjects }) })
  const local = (gitDir: string): Git =>
    createGit({ baseDir: workDir, environment: environmentAt(gitDir), signal, hidden })
  const talking = (): Promise<(gitDir: string) => Git> => {
    transport ??= openTransport(options, hidden, local(NO_REPOSITORY))
    return transport
  }
  const openReader = (): Blobs => {
    blobs ??= openBlobs({ baseDir: workDir, environment: environmentAt(storePath), signal })
    return blobs
  }
  const closeReader = async (): Promise<void> => {
    await blobs?.close()
    blobs = undefined
  }

  return {
    async list() {
      if (remote.localPath !== undefined) {
        const listing = await listLocal(local(NO_REPOSITORY), remote.localPath, options.keptListing).catch(
          () => undefined,
        )
        if (listing !== undefined) return listing
      }
      return await withRetries(
        async () => listRemote((await talking())(NO_REPOSITORY), remote.fetchUrl),
        options,
      )
    },
    async fetch(refs, objectFormat) {
      await ensureStore(storePath, objectFormat).catch((thrown: unknown) => {
        throw systemCode(thrown) === undefined ? thrown : gitFailure(thrown, { hidden })
      })
      const fullNames = refs.map(({ fullName }) => fullName)
      const transport = (await talking())(storePath)
      const fetched = withinSize(storePath, options.maxStoreBytes ?? MAX_STORE_BYTES, (stop) =>
        fetchAll(transport, remote.fetchUrl, fullNames, { ...options, hidden, stop }),
      )
      // Starting a process takes time: the reader starts during the fetch and is asked when that has ended.
      const opened = nextTurn().then(openReader)
      try {
        await fetched
      } catch (thrown) {
        await opened.then(closeReader)
        await removeHalfPacks(storePath)
        alternateObjects = isSatchelError(thrown) ? await objectsOfPartialCopy(remote, thrown) : undefined
        if (alternateObjects === undefined) throw thrown
        return new Map(refs.map(({ fullName, commit }) => [fullName, commit]))
      }
      await tidyStore(storePath, local(storePath))
      return commitsOf(fullNames, openReader())
    },
    blobs: openReader,
    close: closeReader,
  }
}

/** The objects folder of a local repository that lacks some of its objects; never one outside of it. */
async function objectsOfPartialCopy(remote: RemoteUrl, thrown: SatchelError): Promise<string | undefined> {
  if (remote.localPath === undefined || thrown.reason !== 'repository_damaged') return undefined
  const home = await realpath(remote.localPath)
  for (const place of [join(home, 'objects'), join(home, '.git', 'objects')]) {
    const found = await realpath(place).catch(() => undefined)
    if (found === place) return found
  }
  return undefined
}

/** A `GIT_DIR` for commands that need no repository: no store's configuration is read before we have checked it. */
const NO_REPOSITORY = devNull

/** git with the configuration and credentials of this remote only. */
async function openTransport(
  options: RepositoryOptions,
  hidden: readonly string[],
  local: Git,
): Promise<(gitDir: string) => Git> {
  const { admission, workDir: ceiling } = options
  const { remote } = admission
  if (admission.pinned && remote.scheme === 'https') await requirePinning(local)
  const operator = await operatorOf(options, local)
  if (admission.pinned && remote.scheme === 'ssh' && hasOwnSsh(options, operator)) {
    throw refusals.ssh_host_refused()
  }
  const wishes: Omit<EnvironmentWishes, 'gitDir'> = {
    ceiling,
    protocol: operator.rewritesUrls ? await realScheme(local, remote.fetchUrl) : remote.scheme,
    sshCommandConfigured: operator.sshCommandConfigured,
    sshOptions: admission.sshOptions,
    secretConfig: credentialConfig(remote),
  }
  return (gitDir) =>
    createGit({
      baseDir: options.workDir,
      environment: gitEnvironment(options.env, { ...wishes, gitDir }),
      signal: options.signal,
      config: admission.config,
      hidden,
    })
}

async function operatorOf({ admission }: RepositoryOptions, git: Git): Promise<OperatorGit> {
  if (admission.remote.scheme === 'file') return { sshCommandConfigured: false, rewritesUrls: false }
  return await readOperatorGit(git)
}

function hasOwnSsh(options: RepositoryOptions, operator: OperatorGit): boolean {
  const { env } = options
  return operator.sshCommandConfigured || Boolean(env['GIT_SSH_COMMAND'] ?? env['GIT_SSH'])
}

/** The transport after the operator's `insteadOf` rules; still only one of ours. */
async function realScheme(git: Git, url: string): Promise<'https' | 'http' | 'ssh' | 'file'> {
  const rewritten = (await git.run(['ls-remote', '--get-url', '--', url])).trim()
  return parseRemoteUrl(rewritten === '' ? url : rewritten, '/').scheme
}

/** Tries again after `network` and `timeout`, which pass. */
export async function withRetries<T>(
  action: () => Promise<T>,
  options: Pick<RepositoryOptions, 'retryDelaysMs' | 'signal'>,
): Promise<T> {
  for (const delayMs of options.retryDelaysMs) {
    try {
      return await action()
    } catch (thrown) {
      if (!isSatchelError(thrown) || (thrown.reason !== 'network' && thrown.reason !== 'timeout'))
        throw thrown
      if (options.signal.aborted) throw thrown
      await sleep(delayMs, undefined, { signal: options.signal }).catch(() => undefined)
    }
  }
  return await action()
}

interface FetchContext extends RepositoryOptions {
  readonly hidden: readonly string[]
  /** Ends a fetch that exceeds its limit. */
  readonly stop: AbortSignal
}

async function fetchAll(
  git: Git,
  url: string,
  fullNames: readonly string[],
  context: FetchContext,
): Promise<void> {
  for (let at = 0; at < fullNames.length; at += REFSPECS_A_CALL) {
    const some = fullNames.slice(at, at + REFSPECS_A_CALL)
    await withRetries(() => fetchSome(git, url, some, context), context)
  }
}

/** One fetch; refs that vanished since `ls-remote` are left out and the rest is asked for again. */
async function fetchSome(
  git: Git,
  url: string,
  fullNames: readonly string[],
  context: FetchContext,
): Promise<void> {
  let wanted = fullNames
  let depth = ['--depth', '1']
  while (wanted.length > 0) {
    try {
      const refspecs = wanted.map((ref) => `+${ref}:${privateRef(ref)}`)
      // Not --quiet: progress from the remote shows that it is alive.
      const flags = [...depth, '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
      await git.raw(['fetch', ...flags, '--', url, ...refspecs], context.stop)
      return
    } catch (thrown) {
      const missing = missingRef(thrown)
      if (missing !== undefined && wanted.includes(missing)) wanted = wanted.filter((ref) => ref !== missing)
      else if (depth.length > 0 && refusesShallow(thrown)) depth = []
      else throw gitFailure(thrown, context)
    }
  }
}

async function commitsOf(fullNames: readonly string[], blobs: Blobs): Promise<ReadonlyMap<string, string>> {
  const objects = await Promise.all(
    fullNames.map(async (ref) => [ref, await blobs.read(`${privateRef(ref)}^{commit}`, 4096)] as const),
  )
  return new Map(objects.flatMap(([ref, object]) => (object ? [[ref, object.oid] as const] : [])))
}
