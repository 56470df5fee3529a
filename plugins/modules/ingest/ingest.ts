import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  counted,
  inTightHeap,
  makeDirectoryDurably,
  type ProcessLock,
  systemCode,
} from '../../../server/plugin.ts'
import { abortError } from '../git/failure.ts'
import { removeStores } from '../git/store.ts'
import { type FileStamps, openFileStamps } from '../output/file-stamps.ts'
import { keepContent } from '../output/index-content.ts'
import { loadIndexToUpdate, saveIndex } from '../output/index-file.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import { type IndexRecord, type ModuleIndex, stateDir, summaryFiles } from '../output/module-index.ts'
import { removeFiles, storageFailure, sweepTemporaryFiles } from '../output/summary-files.ts'
import { refusals } from '../reasons.ts'
import { remoteEndpoint } from '../registry/remote.ts'
import type { VectorReport } from '../search/vector-update.ts'
import { type RepositoryPlan, respelledWarnings } from './plan.ts'
import { runPooled } from './pool.ts'
import { knownAbsent, pruneRecords, staleWarnings } from './prune.ts'
import { readRepository } from './read-repository.ts'
import { type Failure, type IngestReport, inPlaceOrder, withoutRepeats } from './report.ts'
import { clonePath, planRun, type Run, type RunRequest, sayOf } from './run.ts'
import { openRunProgress, type RunProgress } from './run-progress.ts'
import { createRunSaver } from './run-saver.ts'
import { summaryLoader, updateVectors } from './run-vectors.ts'
import { openCopy, type SharedCopy } from './shared-copy.ts'
import { type Claimed, readClaimed } from './shared-run.ts'
import { createSummaryOutput, type SummaryOutput } from './summary-output.ts'

/** The report of a run, and its changes to the index. */
export interface Ingested {
  readonly report: IngestReport
  readonly touched: ReadonlySet<string>
  /** Records whose summary was added, changed or removed. */
  readonly changed: readonly IndexRecord[]
  readonly index: ModuleIndex
}

/**
 * Brings the output directory up to date with the remotes: summaries, then index, then vectors (modules design 1).
 * One bad repository or ref is in `failures` and stops nothing else. A kill at any moment leaves old or new files and
 * no index row without its summary.
 * Errors: `conflict`/`ingest_running`, `index_damaged`; `unavailable`/`storage_failed`; `cancelled`.
 */
export async function ingest(request: RunRequest): Promise<Ingested> {
  const began = request.now().getTime()
  if (request.dryRun) return await dryRun(request, began)
  const lock = await lockOutput(request)
  try {
    const { outputDir, cloneDir } = request
    await sweepTemporaryFiles([outputDir, stateDir(outputDir)], request.disk)
    const copy = request.shared && (await openCopy(request.shared, request, lock))
    const run = await openRun(request, cloneDir, lock)
    const referenceReads = run.reader.referenceReads()
    const { index, removed, finished } = await inTightHeap(() => readAndFinish(run, copy))
    if (run.cleanup) await removeStores(cloneDir, cloneNames(run))
    return {
      report: {
        ...reportOf(run, began),
        ...finished,
        reference_reads: run.reader.referenceReads() - referenceReads,
      },
      touched: run.output.touched(),
      changed: [...run.output.changed(), ...removed],
      index,
    }
  } finally {
    await lock.release()
  }
}

/** Reads and writes everything; however it ends, readers can learn what is missing. */
async function readAndFinish(run: IngestRun, copy: SharedCopy | undefined): Promise<Finish> {
  await makeCloneDir(run) // a run that is refused here leaves the state of the last one
  try {
    const claimed = await readAll(run, copy?.change)
    const done = await finish(run, claimed?.removed)
    await copy?.finish(run, claimed)
    return done
  } finally {
    // What stopped the run is told by its error; that a disk is full would hide it.
    await run.progressFile.end().catch(() => undefined)
  }
}

async function makeCloneDir({ cloneDir }: IngestRun): Promise<void> {
  try {
    await makeDirectoryDurably(cloneDir)
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') throw refusals.clone_dir_is_file({ folder: cloneDir })
    throw storageFailure(thrown, 'The folder of the clones')
  }
}

/** A run that writes an output directory. */
interface IngestRun extends Run<SummaryOutput> {
  readonly stamps: FileStamps
  readonly earlier: ModuleIndex | undefined
  readonly progressFile: RunProgress
  /** Replaces the index, unless another run has taken the lock of the directory. */
  save(index: ModuleIndex): Promise<void>
}

/** `lock` is absent in a dry run, which writes nothing. */
export async function openRun(
  request: RunRequest,
  workDir: string,
  lock?: Pick<ProcessLock, 'holds'>,
): Promise<IngestRun> {
  const { outputDir, disk } = request
  const { plan, tally } = planRun(request)
  const [earlier, stamps] = await Promise.all([
    loadIndexToUpdate(outputDir, disk),
    openFileStamps(outputDir, disk),
  ])
  const earlierUrls = (earlier?.records ?? []).map(({ repository }) => repository)
  if (!request.prune) tally.warnings.push(...respelledWarnings(plan, earlierUrls))
  const output = createSummaryOutput({
    outputDir,
    earlier,
    stamps,
    disk,
    parserVersion: request.reader.parserVersion,
    now: request.now,
    plan,
  })
  const beforeCommit = (): void => {
    if (!lock?.holds()) throw refusals.ingest_running()
  }
  const progressFile = await openRunProgress({ ...request, disk, plan, tally, output })
  const save = (index: ModuleIndex): Promise<void> =>
    progressFile.saving(() => saveIndex(outputDir, index, { disk, beforeCommit, before: earlier }))
  const say = sayOf(plan.repositories, request)
  return { ...request, plan, tally, output, stamps, earlier, progressFile, save, workDir, say }
}

async function dryRun(request: RunRequest, began: number): Promise<Ingested> {
  const run = await openRun(request, await existingDirectory(request.cloneDir))
  await readRepositories(run, async () => undefined)
  const pruned = run.prune ? knownAbsent(run) : []
  return {
    report: {
      ...reportOf(run, began),
      pruned: inPlaceOrder(pruned),
      planned: inPlaceOrder(run.tally.planned),
    },
    touched: new Set(),
    changed: [],
    index: run.output.index(null),
  }
}

/** The directory itself, or its nearest existing parent. */
async function existingDirectory(path: string): Promise<string> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isThere || path === dirname(path) ? path : await existingDirectory(dirname(path))
}

function reportOf({ plan, now, outputDir, output, tally }: IngestRun, began: number): IngestReport {
  return {
    repositories: plan.repositories.length + plan.failures.length,
    refs: tally.refs,
    modules: output.touched().size,
    written: output.written(),
    pruned: [],
    vectors: null,
    reference_reads: 0,
    failures: inPlaceOrder(tally.failures),
    warnings: withoutRepeats(tally.warnings),
    output_dir: outputDir,
    duration_ms: now().getTime() - began,
  }
}

const FOLLOWING_MS = 5_000

async function lockOutput({ outputDir, disk, shared }: RunRequest): Promise<ProcessLock> {
  try {
    await makeDirectoryDurably(stateDir(outputDir), undefined, disk)
    // To follow what others published takes a folder only for a moment.
    const waitMs = shared ? FOLLOWING_MS : 0
    return await takeIngestLock(join(stateDir(outputDir), 'ingest.lock'), { disk, waitMs })
  } catch (thrown) {
    throw storageFailure(thrown)
  }
}

function cloneNames(run: Run): ReadonlySet<string> {
  return new Set(run.plan.repositories.map((of) => clonePath(run, of).slice(run.cloneDir.length + 1)))
}

async function readAll(run: IngestRun, change: number | undefined): Promise<Claimed | undefined> {
  const { now, output, progressFile } = run
  const { refs } = run.tally
  const isReading = (): boolean => refs.processed + refs.empty > 0
  const saver = createRunSaver({
    now,
    progress: progressFile,
    // Until something is read, readers have all of the index: only how far the run is changes.
    save: () => (isReading() ? run.save(output.index(null)) : progressFile.saving(async () => undefined)),
  })
  await progressFile.saving(async () => undefined)
  const claimed = await readBy(run, change, saver.read)
  await saver.settled()
  if (run.signal.aborted) {
    await run.output.flush()
    await run.save(run.output.index(null))
    throw abortError(run.signal)
  }
  return claimed
}

/** Reads all repositories, or those that the queue gives. */
async function readBy(
  run: IngestRun,
  change: number | undefined,
  afterEach: (repository: RepositoryPlan) => Promise<void>,
): Promise<Claimed | undefined> {
  const { shared, earlier, plan, progressFile } = run
  if (shared === undefined || change === undefined) {
    await readRepositories(run, afterEach)
    return undefined
  }
  const before = new Map(earlier?.records.map((record) => [record.id, record]))
  const claimed = await readClaimed({ ...run, shared, change, before }, afterEach)
  for (const repository of plan.repositories) progressFile.read(repository) // others read the rest
  return claimed
}

async function readRepositories(
  run: Run,
  afterEach: (repository: RepositoryPlan) => Promise<void>,
): Promise<void> {
  const { repositories } = run.plan
  const total = repositories.length
  run.progress(0, total, counted(total, 'repository', 'repositories'))
  await runPooled(
    repositories,
    ({ remote }) => remoteEndpoint(remote) ?? 'local',
    async (repository) => {
      if (run.signal.aborted) return
      await readRepository(repository, run)
      await afterEach(repository)
      const own = run.tally.failures.filter((failure) => failure.repository === repository.remote.url)
      run.say(repository, 1, endOf(own))
    },
  )
}

const NAMED_FAILURES = 3

/** How the reading of a repository ended: a ref that failed is not all of it. */
function endOf(failures: readonly Failure[]): string {
  const whole = failures.find(({ ref, path }) => ref === undefined && path === undefined)
  if (whole !== undefined) return `failed: ${whole.reason}`
  if (failures.length === 0) return 'done'
  const named = failures.slice(0, NAMED_FAILURES).map(({ ref, path, reason }) => `${ref ?? path}: ${reason}`)
  const more = failures.length > NAMED_FAILURES ? `, and ${failures.length - NAMED_FAILURES} more` : ''
  return `done but for ${named.join(', ')}${more}`
}

interface Finish {
  /** As it was saved, but for what is said of vectors. */
  readonly index: ModuleIndex
  readonly removed: readonly IndexRecord[]
  readonly finished: Pick<IngestReport, 'pruned' | 'vectors' | 'failures'>
}

/** Index, removed files, vectors, and the index again with what is embedded. `pruned`: what is no longer in the output. */
export async function finish(run: IngestRun, pruned?: readonly IndexRecord[]): Promise<Finish> {
  const { outputDir, output, stamps, tally } = run
  await output.flush()
  // Noted before the store is touched: a run that is killed may leave vectors of any record.
  const embedded = [...output.records.values()].some((record) => record.embedded)
  output.hadVectors ||= run.vectors !== undefined || embedded
  const removed = pruned ?? (run.prune ? pruneRecords(output) : [])
  if (!run.prune) tally.warnings.push(...staleWarnings(run))
  // A run without embeddings, or one that is killed, leaves their removal to the next.
  if (output.hadVectors) for (const { id } of removed) output.staleVectors.add(id)
  const finishedAt = run.now().toISOString()
  try {
    const index = output.index(finishedAt)
    await Promise.all([run.save(index), stamps.save(summaryFiles(output.records.values()))])
    await removeFiles(outputDir, index.leftovers, run.disk)
    for (const file of index.leftovers) output.files.delete(file)
    const vectors = await updateVectors(run, index)
    const isSaved = index.leftovers.length === 0 && vectors?.isNews !== true
    const last = isSaved ? index : output.index(finishedAt)
    if (last !== index) keepContent(last, index)
    if (!isSaved) await run.save(last)
    // A search index is made of what both have in common.
    const { earlier, disk } = run
    await run.saveSearch?.({ outputDir, index, earlier, load: summaryLoader(run), disk })
    const finished = {
      pruned: inPlaceOrder(removed.map(({ repository, ref, path }) => ({ repository, ref, path }))),
      vectors: vectors ? vectorCounts(vectors.report) : null,
      failures: inPlaceOrder(tally.failures),
    }
    return { index, removed, finished }
  } catch (thrown) {
    throw storageFailure(thrown)
  }
}

function vectorCounts({ strategy, upserted, unchanged }: VectorReport): IngestReport['vectors'] {
  return { strategy, upserted, unchanged }
}
