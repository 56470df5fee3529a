import type { Log } from '../../../server/plugin.ts'
import { counted, isSatchelError } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { admit, type Trust } from '../git/admission.ts'
import { abortError } from '../git/failure.ts'
import type { RemoteListing } from '../git/remote.ts'
import { openRepository, type Repository } from '../git/repository.ts'
import { createTreeReader, type TreeReader } from '../git/tree.ts'
import type { ParseCache } from '../output/parse-cache.ts'
import { storageFailure } from '../output/summary-files.ts'
import { refusal } from '../reasons.ts'
import { type ChosenRef, chooseRefs } from './choose-refs.ts'
import { leadsTo, moduleDirectories } from './directories.ts'
import type { ModuleReader } from './module-reader.ts'
import type { PlannedEntry, RepositoryPlan } from './plan.ts'
import { readRef } from './read-ref.ts'
import { type Failure, failureOf, type Place, type RefCounts, type Warning } from './report.ts'
import { createTextCache, type TextCache } from './text-cache.ts'

/** Where what is read goes, and what is known already. */
export interface ReadingOutput {
  /** These entries will be asked for: what is known of them may be looked at already. */
  expect(repository: string, entries: readonly PlannedEntry[]): void
  /** The directories an earlier reading of this very commit with these options gave, if all of it is still there. */
  earlier(repository: string, ref: ChosenRef, entry: PlannedEntry): Promise<readonly string[] | undefined>
  take(summary: ModuleSummary, entry: PlannedEntry): Promise<void>
  /** All summaries of this ref and entry have been taken. */
  done(repository: string, ref: ChosenRef, entry: PlannedEntry, directories: readonly string[]): void
  /** Resolves when everything taken and done so far is on disk. Errors: `unavailable`/`storage_failed`. */
  flush(): Promise<void>
  /** Every module directory of a ref that was read, asked for or not; told where `wholeTrees` is set. */
  saw(repository: string, ref: string, directories: ReadonlySet<string>): void
  /** What the remote has now. */
  listed(repository: string, name: string, listing: RemoteListing): void
}

/** Numbers and findings of a run, shared by its repositories. */
export interface Tally {
  readonly refs: RefCounts
  readonly failures: Failure[]
  readonly warnings: Warning[]
}

export interface ReadingContext {
  readonly trust: Trust
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workDir: string
  readonly signal: AbortSignal
  readonly retryDelaysMs: readonly number[]
  readonly reader: ModuleReader
  readonly log: Log
  readonly output: ReadingOutput
  readonly tally: Tally
  /** Also reads directories nobody asked for: what is gone is to be noticed. */
  readonly wholeTrees: boolean
  storePath(plan: RepositoryPlan): string
  /** The right to write the store; released when the repository is done. */
  lockStore(path: string): Promise<{ release(): Promise<void> }>
  openCache(storePath: string): Promise<ParseCache>
  /** How far this repository is: `share` from 0 to 1. */
  say(message: string, share: number): void
  /** Set for a dry run: what would be read is told here and not read. */
  plan?(place: { repository: string; ref: string; path: string }): void
}

const WALL_MS = 10 * 60_000 // modules design 8: time per repository

interface Wanted {
  readonly ref: ChosenRef
  readonly entry: PlannedEntry
}

/** Reads all wanted refs of one repository. Never rejects: what failed is in the tally. */
export async function readRepository(plan: RepositoryPlan, context: ReadingContext): Promise<void> {
  const repository = plan.remote.url
  const limited = { ...context, signal: AbortSignal.any([context.signal, AbortSignal.timeout(WALL_MS)]) }
  try {
    await readAdmitted(plan, limited)
  } catch (thrown) {
    fail(limited, { repository }, thrown)
  }
}

async function readAdmitted(plan: RepositoryPlan, context: ReadingContext): Promise<void> {
  const repository = plan.remote.url
  const admission = await admit(plan.remote, context.trust)
  for (const message of admission.warnings) {
    context.tally.warnings.push({ repository, code: 'insecure_transport', message })
  }
  const storePath = context.storePath(plan)
  const git = openRepository({ ...context, admission, storePath })
  try {
    context.output.expect(repository, plan.entries)
    const listing = await git.list()
    context.output.listed(repository, plan.entries[0]?.name ?? '', listing)
    for (const ref of listing.refused) {
      context.tally.warnings.push({
        repository,
        code: 'ref_refused',
        message: `Not a valid ref name: ${ref}.`,
      })
    }
    const wanted = choose(plan, listing, context)
    const { changed, seen } = await withoutUnchanged(repository, wanted, context)
    if (context.plan) {
      for (const { ref, entry } of changed) context.plan({ repository, ref: ref.ref, path: entry.path })
    } else if (changed.length > 0) {
      await readChanged(repository, changed, seen, { git, storePath, listing, context })
    }
    for (const entry of plan.entries) sayIfEmpty(repository, entry, seen, context)
  } finally {
    await git.close()
  }
}

function choose(plan: RepositoryPlan, listing: RemoteListing, context: ReadingContext): Wanted[] {
  const repository = plan.remote.url
  const wanted = plan.entries.flatMap((entry) => {
    const { refs, failures, warnings } = chooseRefs(listing, entry, repository)
    context.tally.failures.push(...failures)
    context.tally.refs.failed += failures.length
    context.tally.warnings.push(...warnings)
    return refs.map((ref) => ({ ref, entry }))
  })
  // Two entries may ask for the same reading of the same ref.
  const keyOf = ({ ref, entry }: Wanted): string => `${ref.fullName}\0${entry.optionsDigest}`
  return [...new Map(wanted.map((one) => [keyOf(one), one])).values()]
}

/** How many modules each entry had, over the refs that could be read. */
type Seen = Map<PlannedEntry, number[]>

async function withoutUnchanged(
  repository: string,
  wanted: readonly Wanted[],
  context: ReadingContext,
): Promise<{ changed: Wanted[]; seen: Seen }> {
  const changed: Wanted[] = []
  const seen: Seen = new Map()
  for (const { ref, entry } of wanted) {
    const directories = await context.output.earlier(repository, ref, entry)
    if (directories === undefined) {
      changed.push({ ref, entry })
      continue
    }
    context.tally.refs[directories.length === 0 ? 'empty' : 'unchanged']++
    note(seen, entry, directories.length)
    context.output.done(repository, ref, entry, directories)
  }
  return { changed, seen }
}

interface Open {
  readonly git: Repository
  readonly storePath: string
  readonly listing: RemoteListing
  readonly context: ReadingContext
}

async function readChanged(
  repository: string,
  changed: readonly Wanted[],
  seen: Seen,
  { git, storePath, listing, context }: Open,
): Promise<void> {
  const lock = await context.lockStore(storePath)
  try {
    const refs = [...new Map(changed.map(({ ref }) => [ref.fullName, ref])).values()]
    context.say(`fetching ${counted(refs.length, 'ref')}`, 0.1)
    const commits = await git.fetch(refs, listing.objectFormat)
    const cache = await context.openCache(storePath)
    const trees = createTreeReader(git.blobs())
    trees.expect(commits.values())
    const texts = createTextCache()
    for (const [at, wanted] of changed.entries()) {
      context.say(`reading ${at + 1} of ${counted(changed.length, 'ref')}`, 0.3 + (0.6 * at) / changed.length)
      const commit = commits.get(wanted.ref.fullName)
      await readWanted(repository, wanted, commit, seen, { git, cache, texts, trees, context })
    }
    // The disk is the last to be done: what else there is to do is done meanwhile.
    await Promise.all([context.output.flush(), cache.save(), git.close()])
  } finally {
    await lock.release()
  }
}

interface Means {
  readonly git: Repository
  readonly cache: ParseCache
  readonly texts: TextCache
  readonly trees: TreeReader
  readonly context: ReadingContext
}

async function readWanted(
  repository: string,
  { ref, entry }: Wanted,
  commit: string | undefined,
  seen: Seen,
  { git, cache, texts, trees, context }: Means,
): Promise<void> {
  try {
    if (commit === undefined) throw refusal('ref_not_found', 'The ref is gone, or names no commit.')
    const { signal, reader, output } = context
    const tree = await trees.treeOf(commit, (directory) => leadsTo(directory, entry))
    const directories: string[] = []
    const reading = { repository, blobs: git.blobs(), cache, texts, reader, signal }
    for await (const summary of readRef(ref, commit, tree, entry, reading)) {
      directories.push(summary.path)
      await output.take(summary, entry)
    }
    if (context.wholeTrees) await seeWhole({ repository, ref: ref.ref }, commit, trees, context)
    output.done(repository, { ...ref, commit }, entry, directories)
    context.tally.refs[directories.length === 0 ? 'empty' : 'processed']++
    note(seen, entry, directories.length)
  } catch (thrown) {
    // A cancelled or overlong run ends the repository, a bad ref costs only itself.
    if (context.signal.aborted || (isSatchelError(thrown) && thrown.reason === 'storage_failed')) throw thrown
    context.tally.refs.failed++
    fail(context, { repository, ref: ref.ref }, thrown)
  }
}

/** A tree that is too large to be walked whole costs the pruning of what nobody asked for, not the ref. */
async function seeWhole(
  { repository, ref }: { readonly repository: string; readonly ref: string },
  commit: string,
  trees: TreeReader,
  { output, tally }: ReadingContext,
): Promise<void> {
  try {
    output.saw(repository, ref, moduleDirectories(await trees.treeOf(commit, () => true)))
  } catch (thrown) {
    if (!isSatchelError(thrown) || thrown.reason !== 'repository_too_large') throw thrown
    const message = `Only directories that were asked for were looked at for pruning. ${thrown.message}`
    tally.warnings.push({ repository, ref, code: 'prune_partial', message })
  }
}

function note(seen: Seen, entry: PlannedEntry, modules: number): void {
  seen.set(entry, [...(seen.get(entry) ?? []), modules])
}

function sayIfEmpty(repository: string, entry: PlannedEntry, seen: Seen, context: ReadingContext): void {
  const counts = seen.get(entry) ?? []
  if (counts.length === 0 || counts.some((modules) => modules > 0)) return
  const below = entry.recursive ? '' : ', or read the directories below it with recursive'
  const message = `No ref had a module file at ${JSON.stringify(entry.path)}. Name another path${below}.`
  const error = refusal('no_module_files', message)
  fail(context, { repository, path: entry.path }, error)
}

function fail(context: ReadingContext, place: Place, cause: unknown): void {
  const thrown = storageFailure(cause, 'The folder of the clones') // the writer of the summaries says itself what failed there
  if (!isSatchelError(thrown) && !context.signal.aborted) {
    context.log.error('reading a repository failed', { repository: place.repository, error: thrown })
  }
  const error = isSatchelError(thrown) || !context.signal.aborted ? thrown : abortError(context.signal)
  context.tally.failures.push(failureOf(place, error))
}
