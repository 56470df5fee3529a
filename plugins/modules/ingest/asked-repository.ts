/** Reads one directory of one ref of a configured repository, outside of an ingest. */
import { isSatchelError, makeDirectoryDurably } from '../../../server/plugin.ts'
import { newestAdmitted } from '../domain/constraint.ts'
import { spellingsOf } from '../domain/nearest-names.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { isUnanswered } from '../git/failure.ts'
import { type AskedRef, isCommitId, parseAskedRef } from '../git/ref-name.ts'
import type { RemoteListing } from '../git/remote.ts'
import type { Repository } from '../git/repository.ts'
import { findStore, privateRef } from '../git/store.ts'
import { MAX_STORE_BYTES, packBytes } from '../git/store-size.ts'
import { createTreeReader } from '../git/tree.ts'
import { createCodeWriter } from '../output/code-store.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import { isReason, refusals } from '../reasons.ts'
import { type ChosenRef, findAsked, unknownRef } from './choose-refs.ts'
import { kindOf } from './directories.ts'
import { openModuleReader } from './module-reader.ts'
import { openRemote } from './open-remote.ts'
import type { RepositoryPlan } from './plan.ts'
import { readRef } from './read-ref.ts'
import { clonePath } from './run.ts'
import { createTextCache } from './text-cache.ts'

/**
 * What a caller names: a branch, a tag or a whole commit id; or the newest tag that a constraint admits. `isExact`: no other
 * spelling of the ref is looked for, as git looks for none. `isDeleted`: the last ingest found it so, and what was read of it
 * before does not count.
 */
export type AskedName = ({ readonly ref: string } & HowNamed) | { readonly version: string }

interface HowNamed {
  readonly isExact?: boolean
  readonly isDeleted?: boolean
}

export interface AskedModule {
  readonly summary: ModuleSummary
  /** What a writer of code appended. */
  readonly code: string
}

/** One repository; its owner calls `close`. */
export interface AskedRepository {
  /**
   * What the name means now: of a commit that the clone has, the commit; else what the remote says; what the clone has
   * of it where the remote cannot be reached. A commit counts as a tag: it never moves.
   * Errors: `not_found`/`ref_not_found`, `invalid`/`ref_refused`, and those of git.
   */
  find(name: AskedName): Promise<ChosenRef>
  /**
   * The module in a directory, fetched first if the clone lacks the commit; undefined where there is none.
   * Errors: `not_found`/`path_in_submodule`, `conflict`/`ingest_running`, `not_found`/`ref_not_found`, `too_large`/`repository_too_large`, those of git.
   */
  read(ref: ChosenRef, path: string): Promise<AskedModule | undefined>
  close(): Promise<void>
}

export interface AskedContext {
  readonly cloneDir: string
  /** `endpointsOf` what the configuration names. */
  readonly known: ReadonlySet<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** One fetch may add this much to a clone: a ref is read while a caller waits. */
const MAX_FETCH_BYTES = 256 * 1024 * 1024

/** Opens the clone of a configured repository, if there is one; makes it when something is fetched. */
export async function openAskedRepository(
  plan: RepositoryPlan,
  { cloneDir, known, env, signal }: AskedContext,
): Promise<AskedRepository> {
  await makeDirectoryDurably(cloneDir)
  const clone = await findStore(cloneDir, plan.remote.url)
  const storePath = clone ?? clonePath({ cloneDir }, plan)
  const maxStoreBytes = Math.min(MAX_STORE_BYTES, (await packBytes(storePath)) + MAX_FETCH_BYTES)
  const options = { storePath, workDir: cloneDir, env, signal, retryDelaysMs: [], maxStoreBytes }
  const trust = { kind: 'operator' } as const
  const git = await openRemote(plan.remote, { ...options, trust, known, warn: () => undefined })
  let listing: Promise<RemoteListing> | undefined
  const places: Places = {
    list() {
      listing ??= git.list()
      return listing
    },
    async inClone(name) {
      const found = clone === undefined ? undefined : await git.blobs().read(name, 0)
      return found?.type === 'commit' ? found.oid : undefined
    },
  }
  return {
    async find(name) {
      if ('version' in name) return newestOf(await places.list(), name.version)
      if (isCommitId(name.ref)) return await findCommit(name.ref.toLowerCase(), places)
      return await findRef(parseAskedRef(name.ref), places, name)
    },
    async read(ref, path) {
      const commit = (await places.inClone(ref.commit)) ?? (await fetch(git, ref, { places, storePath }))
      return await readModule(git, plan, { ...ref, commit }, { path, signal })
    },
    close: git.close,
  }
}

interface Places {
  /** The commit of this name, if the clone has it. */
  inClone(name: string): Promise<string | undefined>
  list(): Promise<RemoteListing>
}

async function findRef(
  asked: AskedRef,
  places: Places,
  { isExact = false, isDeleted = false }: HowNamed,
): Promise<ChosenRef> {
  try {
    const listed = await places.list()
    for (const spelling of asked.full === undefined && !isExact ? spellingsOf(asked.name) : [asked.name]) {
      const found = findAsked(listed, { ...asked, name: spelling })
      if (found) return found
    }
    throw unknownRef(listed, asked)
  } catch (thrown) {
    const mayBeHeld = !isDeleted && isSatchelError(thrown) && isUnanswered(thrown)
    const held = mayBeHeld ? await refInClone(asked, places) : undefined
    if (held === undefined) throw thrown
    return held
  }
}

/** What an earlier fetch left. */
async function refInClone({ name, full }: AskedRef, { inClone }: Places): Promise<ChosenRef | undefined> {
  for (const fullName of full === undefined ? [`refs/tags/${name}`, `refs/heads/${name}`] : [full]) {
    const commit = await inClone(`${privateRef(fullName)}^{commit}`)
    const kind = fullName.startsWith('refs/tags/') ? 'tag' : 'branch'
    if (commit !== undefined) return { ref: name, kind, fullName, commit }
  }
  return undefined
}

async function findCommit(commit: string, { inClone, list }: Places): Promise<ChosenRef> {
  const plain = { ref: commit, kind: 'tag' as const, fullName: commit, commit }
  if ((await inClone(commit)) !== undefined) return plain
  const { tags, branches } = await list()
  // A server may refuse a commit by its id; it gives out any ref.
  const named = [...tags.values(), ...branches.values()].find((ref) => ref.commit === commit)
  if (named === undefined) return plain
  return { ...plain, fullName: `refs/${named.kind === 'tag' ? 'tags' : 'heads'}/${named.name}` }
}

function newestOf(listing: RemoteListing, constraint: string): ChosenRef {
  const best = newestAdmitted(constraint, [...listing.tags.values()], (tag) => tag.name)
  if (best === undefined) throw refusals.no_tag_admitted({ constraint: JSON.stringify(constraint) })
  const { name, commit } = best
  return { ref: name, kind: 'tag', fullName: `refs/tags/${name}`, commit }
}

async function fetch(
  git: Repository,
  ref: ChosenRef,
  { places, storePath }: { readonly places: Places; readonly storePath: string },
): Promise<string> {
  const { objectFormat } = await places.list()
  const lock = await takeIngestLock(`${storePath}.lock`)
  try {
    const commits = await git.fetch([ref], objectFormat)
    const commit = commits.get(ref.fullName)
    if (commit !== undefined && (!isCommitId(ref.ref) || commit === ref.commit)) return commit
    throw git.failureOf?.(ref.fullName) ?? refusals.ref_disappeared()
  } catch (thrown) {
    if (!isReason(thrown, 'repository_too_large')) throw thrown
    throw refusals.asked_too_large({ ref: JSON.stringify(ref.ref) }, { cause: thrown })
  } finally {
    await lock.release()
  }
}

async function readModule(
  git: Repository,
  plan: RepositoryPlan,
  ref: ChosenRef,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<AskedModule | undefined> {
  const [configured] = plan.entries
  if (configured === undefined) return undefined
  let code = ''
  let submodule: string | undefined
  const writer = createCodeWriter('', async (lines) => {
    code += lines
  })
  const blobs = git.blobs()
  const reader = await openModuleReader()
  const reading = {
    run: { reader, signal },
    repository: plan.remote.url,
    blobs,
    trees: createTreeReader(blobs),
    cache: { find: () => undefined, add: () => undefined, save: async () => undefined },
    code: writer,
    texts: createTextCache(),
    foundSubmodules: (_: string, [first]: readonly string[]) => {
      submodule = first
    },
  }
  try {
    const entry = { ...configured, path, recursive: false, excludes: [] }
    for await (const summary of readRef(reading, ref, entry)) {
      await writer.save()
      return { summary: { ...summary, kind: kindOf(path, configured) }, code }
    }
    if (submodule === undefined) return undefined
    throw refusals.path_in_submodule({ repository: plan.remote.url, path, ref: ref.ref, submodule })
  } finally {
    await reader.close()
  }
}
