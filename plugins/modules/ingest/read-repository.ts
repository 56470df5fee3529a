import { addTo, counted, isSatchelError } from '../../../server/plugin.ts'
import { nearestNames } from '../domain/nearest-names.ts'
import { compare } from '../domain/order.ts'
import { unreadFiles } from '../domain/unread-files.ts'
import { abortError } from '../git/failure.ts'
import type { RemoteListing } from '../git/remote.ts'
import { RETRY_DELAYS_MS, type Repository } from '../git/repository.ts'
import { createTreeReader } from '../git/tree.ts'
import { hasCode, openCodeWriter } from '../output/code-store.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import { openParseCache } from '../output/parse-cache.ts'
import { storageFailure } from '../output/summary-files.ts'
import { refusals } from '../reasons.ts'
import { type ChosenRef, chooseRefs } from './choose-refs.ts'
import { moduleDirectories } from './directories.ts'
import { endpointsOf, openRemote } from './open-remote.ts'
import type { PlannedEntry, RepositoryPlan } from './plan.ts'
import { type RefReading, readRef } from './read-ref.ts'
import { failureOf, type Place } from './report.ts'
import { cachePath, clonePath, listingPath, type Run } from './run.ts'
import { createTextCache } from './text-cache.ts'

const WALL_MS = 10 * 60_000 // modules design 8: time per repository

/** A ref to read with the options of an entry. */
interface Wanted {
  readonly ref: ChosenRef
  readonly entry: PlannedEntry
}

/** What an entry had in one ref. */
interface Looked {
  readonly modules: number
  /** The directories of the ref with modules, where the entry has none and the ref was read now. */
  readonly elsewhere?: readonly string[] | undefined
}

/** What each entry had, over the refs that could be read. */
type Seen = Map<PlannedEntry, Looked[]>

/** Reads all wanted refs of one repository. Never rejects: failures are in the tally. */
export async function readRepository(plan: RepositoryPlan, run: Run): Promise<void> {
  const limited = { ...run, signal: AbortSignal.any([run.signal, AbortSignal.timeout(WALL_MS)]) }
  try {
    await readAdmitted(plan, limited)
  } catch (thrown) {
    fail(limited, { repository: plan.remote.url }, thrown)
  }
}

async function readAdmitted(plan: RepositoryPlan, run: Run): Promise<void> {
  const { output, tally } = run
  const repository = plan.remote.url
  const storePath = clonePath(run, plan)
  const git = await openRemote(plan.remote, {
    ...run,
    storePath,
    keptListing: run.dryRun ? undefined : { file: listingPath(run, storePath), now: run.now },
    known: endpointsOf(run.plan.repositories),
    retryDelaysMs: run.retryDelaysMs ?? RETRY_DELAYS_MS,
    warn: (warning) => tally.warnings.push({ repository, ...warning }),
  })
  try {
    output.expect(repository, plan.entries)
    const listing = await git.list()
    output.listed(repository, plan.entries[0]?.name ?? '', listing)
    for (const ref of listing.refused) {
      tally.warnings.push({ repository, code: 'ref_refused', message: `Not a valid ref name: ${ref}.` })
    }
    const seen: Seen = new Map()
    const wanted = await settled(git, choose(plan, listing, run))
    const changed = await withoutUnchanged(wanted, seen, run, repository)
    if (run.dryRun) {
      for (const { ref, entry } of changed) tally.planned.push({ repository, ref: ref.ref, path: entry.path })
    } else if (changed.length > 0) {
      await readChanged({ run, plan, repository, git, listing, storePath, seen }, changed)
    }
    for (const entry of plan.entries) failIfEmpty(entry, seen, run, repository)
  } finally {
    output.ended(repository)
    await git.close()
  }
}

function choose(plan: RepositoryPlan, listing: RemoteListing, { tally }: Run): Wanted[] {
  const wanted = plan.entries.flatMap((entry) => {
    const { refs, failures, warnings } = chooseRefs(listing, entry, plan.remote.url)
    tally.failures.push(...failures)
    tally.refs.failed += failures.length
    tally.warnings.push(...warnings)
    return refs.map((ref) => ({ ref, entry }))
  })
  // Two entries may ask for the same reading of the same ref.
  const keyOf = ({ ref, entry }: Wanted): string => `${ref.fullName}\0${entry.optionsDigest}`
  return [...new Map(wanted.map((one) => [keyOf(one), one])).values()]
}

/** With the commits that the refs name now. */
async function settled(git: Repository, wanted: readonly Wanted[]): Promise<readonly Wanted[]> {
  if (git.settle === undefined) return wanted
  const refs = new Map(wanted.map(({ ref }) => [ref.fullName, ref]))
  for (const ref of await git.settle([...refs.values()])) refs.set(ref.fullName, ref)
  return wanted.map(({ ref, entry }) => ({ ref: refs.get(ref.fullName) ?? ref, entry }))
}

async function withoutUnchanged(
  wanted: readonly Wanted[],
  seen: Seen,
  { output, outputDir, tally }: Run,
  repository: string,
): Promise<Wanted[]> {
  const changed: Wanted[] = []
  const isStored = await hasCode(outputDir, repository)
  for (const { ref, entry } of wanted) {
    const directories = isStored ? await output.earlier(repository, ref, entry) : undefined
    if (directories === undefined) {
      changed.push({ ref, entry })
      continue
    }
    tally.refs[directories.length === 0 ? 'empty' : 'unchanged']++
    addTo(seen, entry, { modules: directories.length })
    output.done(repository, ref, entry, directories)
  }
  return changed
}

/** The reading of one repository. */
interface RepositoryReading {
  readonly run: Run
  readonly plan: RepositoryPlan
  readonly repository: string
  readonly git: Repository
  readonly listing: RemoteListing
  readonly storePath: string
  readonly seen: Seen
}

async function readChanged(reading: RepositoryReading, changed: readonly Wanted[]): Promise<void> {
  const { run, plan, repository, git, listing, storePath } = reading
  const lock = await takeIngestLock(`${storePath}.lock`)
  try {
    const refs = [...new Map(changed.map(({ ref }) => [ref.fullName, ref])).values()]
    run.say(plan, 0.1, `fetching ${counted(refs.length, 'ref')}`)
    const commits = await git.fetch(refs, listing.objectFormat)
    const cache = await openParseCache(cachePath(run, storePath), run.reader.parserVersion)
    const trees = createTreeReader(git.blobs())
    trees.expect(commits.values())
    const code = await openCodeWriter(run.outputDir, repository)
    const refReading = {
      run,
      repository,
      git,
      blobs: git.blobs(),
      trees,
      cache,
      code,
      texts: createTextCache(),
      foundSubmodules: (ref: string, paths: readonly string[]) => warnOfSubmodules(reading, ref, paths),
    }
    for (const [at, wanted] of changed.entries()) {
      const message = `reading ${at + 1} of ${counted(changed.length, 'ref')}`
      run.say(plan, 0.3 + (0.6 * at) / changed.length, message)
      await readWanted(refReading, wanted, commits.get(wanted.ref.fullName), reading.seen)
    }
    // The disk takes longest: finish the cache and git in the meantime.
    await Promise.all([run.output.flush(), cache.save(), git.close()])
  } finally {
    await lock.release()
  }
}

/** The reading of a ref as a part of a run. */
interface RunReading extends RefReading {
  readonly run: Run
  readonly git: Repository
}

async function readWanted(
  reading: RunReading,
  { ref, entry }: Wanted,
  commit: string | undefined,
  seen: Seen,
): Promise<void> {
  const { run, repository } = reading
  const { output, tally } = run
  try {
    if (commit === undefined) throw reading.git.failureOf?.(ref.fullName) ?? refusals.ref_disappeared()
    const read = { ...ref, commit }
    warnOfMove(reading, read)
    const directories: string[] = []
    const unread: UnreadFile[] = []
    for await (const summary of readRef(reading, read, entry)) {
      directories.push(summary.path)
      unread.push(
        ...unreadFiles(summary).map(({ file = '', message }) => ({ path: summary.path, file, message })),
      )
      await output.take(summary, entry)
    }
    if (run.prune) await seeWholeTree(reading, read)
    await reading.code.save()
    output.done(repository, read, entry, directories)
    tally.refs[directories.length === 0 ? 'empty' : 'processed']++
    warnOfUnread(reading, ref.ref, unread)
    const elsewhere = directories.length === 0 ? await modulesOf(reading, commit) : []
    addTo(seen, entry, { modules: directories.length, elsewhere })
  } catch (thrown) {
    // A cancelled or overlong run ends the repository, a bad ref costs only itself.
    if (run.signal.aborted || (isSatchelError(thrown) && thrown.reason === 'storage_failed')) throw thrown
    tally.refs.failed++
    fail(run, { repository, ref: ref.ref }, thrown)
  }
}

interface UnreadFile {
  /** The module. */
  readonly path: string
  readonly file: string
  readonly message: string
}

function placeOf({ path, file }: UnreadFile): string {
  return path === '.' || file.startsWith(`${path}/`) ? file : `${path}/${file}`
}

/** Calls of these modules are not judged. One warning for a ref: a repository of templates has many such files. */
function warnOfUnread(
  { run: { tally }, repository }: RunReading,
  ref: string,
  unread: readonly UnreadFile[],
): void {
  const [first] = unread
  if (first === undefined) return
  const { path, file, message } = first
  const [next] = unread.slice(1)
  const more =
    next === undefined
      ? ''
      : ` The same goes for ${counted(unread.length - 1, 'more file')} of this ref: ${placeOf(next)}${unread.length > 2 ? ', …' : ''}.`
  tally.warnings.push({
    ...{ repository, ref, path, code: 'file_not_understood' },
    message: `${file} was not read whole: ${message} Calls of this module are not checked.${more}`,
  })
}

/** Their modules are not read, and nothing else would say so. */
function warnOfSubmodules(
  { run: { tally }, repository }: RepositoryReading,
  ref: string,
  [path, ...others]: readonly string[],
): void {
  if (path === undefined) return
  const more = others.length === 0 ? '' : ` The same goes for ${counted(others.length, 'more submodule')}.`
  const message = `${path} is a submodule, which is not read: name its repository as an entry of its own.${more}`
  tally.warnings.push({ repository, ref, path, code: 'submodule_skipped', message })
}

/** Tags are not meant to move: who pinned one runs other code now. */
function warnOfMove(
  { run: { output, tally }, repository }: RunReading,
  { ref, kind, commit }: ChosenRef,
): void {
  const before = output.commitBefore(repository, ref)
  const isSaid = tally.warnings.some(
    (one) => one.code === 'tag_moved' && one.repository === repository && one.ref === ref,
  )
  if (kind !== 'tag' || before === undefined || before === commit || isSaid) return
  const message = `The tag was moved from commit ${before.slice(0, 12)} to ${commit.slice(0, 12)} since it was last read.`
  tally.warnings.push({ repository, ref, code: 'tag_moved', message })
}

/** A tree that is too large to be walked whole costs the pruning of directories outside the entries, not the ref. */
async function seeWholeTree(
  { run, repository, trees }: RunReading,
  { ref, commit }: ChosenRef,
): Promise<void> {
  try {
    run.output.saw(repository, ref, moduleDirectories(await trees.treeOf(commit, () => true)))
  } catch (thrown) {
    if (!isSatchelError(thrown) || thrown.reason !== 'repository_too_large') throw thrown
    const message = `Only directories that were asked for were looked at for pruning. ${thrown.message}`
    run.tally.warnings.push({ repository, ref, code: 'prune_partial', message })
  }
}

/** All directories with modules, for a message; none where the tree is too large to be walked whole. */
async function modulesOf({ trees }: RunReading, commit: string): Promise<readonly string[] | undefined> {
  try {
    return [...moduleDirectories(await trees.treeOf(commit, () => true))].sort(compare)
  } catch (thrown) {
    if (!isSatchelError(thrown) || thrown.reason !== 'repository_too_large') throw thrown
  }
}

function failIfEmpty(entry: PlannedEntry, seen: Seen, run: Run, repository: string): void {
  const looked = seen.get(entry) ?? []
  if (looked.length === 0 || looked.some(({ modules }) => modules > 0)) return
  const known = looked.flatMap(({ elsewhere }) => elsewhere ?? [])
  const isNowhere = known.length === 0 && looked.every(({ elsewhere }) => elsewhere !== undefined)
  const below = entry.recursive ? '' : ', or read the directories below it with recursive'
  const place = isNowhere ? 'repository: no directory of this one has any' : `path${below}`
  const said = { path: JSON.stringify(entry.path), elsewhere: saidOf(entry.path, new Set(known)), place }
  fail(run, { repository, path: entry.path }, refusals.no_module_files(said))
}

/** Where there are modules, the paths most like this one first, as a sentence. */
function saidOf(path: string, directories: ReadonlySet<string>): string {
  if (directories.size === 0) return ''
  const shown = [...new Set([...nearestNames(path, directories), ...directories])].slice(0, SHOWN_DIRECTORIES)
  const more = directories.size > shown.length ? `, and ${directories.size - shown.length} more` : ''
  return ` There are modules in ${shown.map((one) => JSON.stringify(one)).join(', ')}${more}.`
}

const SHOWN_DIRECTORIES = 3

function fail({ log, signal, tally }: Run, place: Place, cause: unknown): void {
  const thrown = storageFailure(cause, 'The folder of the clones') // the summary writer names its own folder
  if (!isSatchelError(thrown) && !signal.aborted) {
    log.error('reading a repository failed', { repository: place.repository, error: thrown })
  }
  const error = isSatchelError(thrown) || !signal.aborted ? thrown : abortError(signal)
  tally.failures.push(failureOf(place, error))
}
