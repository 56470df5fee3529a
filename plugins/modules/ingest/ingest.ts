import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { counted, type Log, makeDirectoryDurably } from '../../../server/plugin.ts'
import type { RepositoryEntry } from '../config.ts'
import type { Trust } from '../git/admission.ts'
import { abortError } from '../git/failure.ts'
import { RETRY_DELAYS_MS } from '../git/repository.ts'
import { removeStores } from '../git/store.ts'
import { endpoint } from '../git/url.ts'
import { carriesId } from '../output/file-name.ts'
import { type FileStamps, openFileStamps } from '../output/file-stamps.ts'
import { type IndexRecord, loadIndex, type ModuleIndex, saveIndex, stateDir } from '../output/module-index.ts'
import { openParseCache } from '../output/parse-cache.ts'
import { takeLock } from '../output/run-lock.ts'
import { loadSummary, storageFailure, sweepTemporaryFiles } from '../output/summary-files.ts'
import { refusal } from '../reasons.ts'
import type { VectorFailure, VectorStep, VectorWork } from '../search/vector-update.ts'
import { createSaver } from './index-saver.ts'
import type { ModuleReader } from './module-reader.ts'
import { cachePath, storeNames, storePathOf } from './places.ts'
import { type Plan, planRepositories } from './plan.ts'
import { runPooled } from './pool.ts'
import { knownGone, pruneRecords, removeFiles } from './prune.ts'
import { type ReadingContext, readRepository, type Tally } from './read-repository.ts'
import { type Failure, failureOf, type IngestReport, inPlaceOrder } from './report.ts'
import { createSummaryOutput, type SummaryOutput } from './summary-output.ts'

/** What a run is to do. Paths are absolute and already confined to what the caller may touch. */
export interface IngestRequest {
  readonly entries: readonly RepositoryEntry[]
  readonly outputDir: string
  readonly cloneDir: string
  /** For entries that do not say. */
  readonly recursive: boolean
  readonly cleanup: boolean
  readonly prune: boolean
  /** Only says what would be read: nothing is fetched, locked or written. */
  readonly dryRun: boolean
  readonly trust: Trust
  /** Where relative repository paths start. */
  readonly workingDirectory: string
}

export interface IngestMeans {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly log: Log
  readonly reader: ModuleReader
  /** Absent: embeddings are off. */
  readonly vectors?: VectorStep
  /** Absent: those of modules design 2.6. */
  readonly retryDelaysMs?: readonly number[]
  progress(done: number, total: number, message: string): void
}

/** A run's report, and what it did to the index. */
export interface Ingested {
  readonly report: IngestReport
  readonly touched: ReadonlySet<string>
  /** Records whose summary is new, other than before, or gone. */
  readonly changed: readonly IndexRecord[]
  readonly index: ModuleIndex
}

/**
 * Brings the output directory up to date with the remotes: summaries, then index, then vectors (modules design 1).
 * One bad repository or ref is in `failures` and stops nothing else. A kill at any moment leaves old or new files and
 * no index row without its summary.
 * Errors: `conflict`/`ingest_running`, `index_damaged`; `unavailable`/`storage_failed`; `cancelled`.
 */
export async function ingest(request: IngestRequest, means: IngestMeans): Promise<Ingested> {
  const began = means.now().getTime()
  const plan = planRepositories(request.entries, {
    recursive: request.recursive,
    workingDirectory: request.workingDirectory,
    parserVersion: means.reader.parserVersion,
  })
  if (request.dryRun) return await dryRun(plan, request, means, began)
  const lock = await lockOutput(request, means)
  try {
    const [run] = await Promise.all([
      openRun(plan, request, means),
      sweepTemporaryFiles([request.outputDir, stateDir(request.outputDir)]),
    ])
    const referenceReads = means.reader.referenceReads()
    await readAll(run)
    const { removed, finished } = await finish(run)
    if (request.cleanup) await removeStores(request.cloneDir, storeNames(plan, request.cloneDir))
    return {
      report: {
        ...reportOf(run, began),
        ...finished,
        reference_reads: means.reader.referenceReads() - referenceReads,
      },
      touched: run.output.touched(),
      changed: [...run.output.changed(), ...removed],
      index: run.output.index(null),
    }
  } finally {
    await lock.release()
  }
}

/** One run: what is asked, what helps, and where results gather. */
interface Run {
  readonly plan: Plan
  readonly request: IngestRequest
  readonly means: IngestMeans
  readonly stamps: FileStamps
  readonly output: SummaryOutput
  readonly tally: Tally
}

async function openRun(plan: Plan, request: IngestRequest, means: IngestMeans): Promise<Run> {
  const { outputDir } = request
  const [earlier, stamps] = await Promise.all([loadIndex(outputDir), openFileStamps(outputDir)])
  const tally = emptyTally(plan)
  const output = createSummaryOutput({
    outputDir,
    earlier,
    stamps,
    parserVersion: means.reader.parserVersion,
    now: means.now,
    nameOwners: nameOwners(plan, earlier),
    warn: (warning) => tally.warnings.push(warning),
  })
  return { plan, request, means, stamps, output, tally }
}

async function dryRun(
  plan: Plan,
  request: IngestRequest,
  means: IngestMeans,
  began: number,
): Promise<Ingested> {
  const run = await openRun(plan, request, means)
  const planned: { repository: string; ref: string; path: string }[] = []
  const workDir = await existingDirectory(request.cloneDir)
  await readRepositories(run, { workDir, plan: (place) => planned.push(place) }, async () => undefined)
  const pruned = request.prune ? knownGone(run.output, planned) : []
  return {
    report: { ...reportOf(run, began), pruned: inPlaceOrder(pruned), planned: inPlaceOrder(planned) },
    touched: new Set(),
    changed: [],
    index: run.output.index(null),
  }
}

/** The directory itself, or the nearest one above it. */
async function existingDirectory(path: string): Promise<string> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isThere || path === dirname(path) ? path : await existingDirectory(dirname(path))
}

function reportOf({ plan, request, means, output, tally }: Run, began: number): IngestReport {
  return {
    repositories: plan.repositories.length + plan.failures.length,
    refs: tally.refs,
    modules: output.touched().size,
    written: output.written(),
    pruned: [],
    vectors: null,
    reference_reads: 0,
    failures: inPlaceOrder(tally.failures),
    warnings: inPlaceOrder(tally.warnings),
    output_dir: request.outputDir,
    duration_ms: means.now().getTime() - began,
  }
}

function emptyTally(plan: Plan): Tally {
  return {
    refs: { processed: 0, unchanged: 0, empty: 0, failed: 0 },
    failures: [...plan.failures],
    warnings: [],
  }
}

async function lockOutput({ outputDir }: IngestRequest, { now }: IngestMeans) {
  try {
    await makeDirectoryDurably(stateDir(outputDir))
    return await takeLock(join(stateDir(outputDir), 'ingest.lock'), now)
  } catch (thrown) {
    throw storageFailure(thrown)
  }
}

/** Of several repositories with one name the first of the index, else of the plan, has the plain file names. */
function nameOwners(plan: Plan, earlier: ModuleIndex | undefined): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const known = (earlier?.records ?? []).filter(({ summary_file, id }) => !carriesId(summary_file, id))
  for (const { name, repository } of known) {
    if (!owners.has(name.toLowerCase())) owners.set(name.toLowerCase(), repository)
  }
  for (const { remote, entries } of plan.repositories) {
    for (const { name } of entries)
      if (!owners.has(name.toLowerCase())) owners.set(name.toLowerCase(), remote.url)
  }
  return owners
}

async function readAll(run: Run): Promise<void> {
  const { request, means, output } = run
  const saver = createSaver(request.outputDir, output, means.now)
  try {
    await makeDirectoryDurably(request.cloneDir)
  } catch (thrown) {
    throw storageFailure(thrown, 'The folder of the clones')
  }
  await readRepositories(run, { workDir: request.cloneDir }, saver.soon)
  await saver.settled()
  if (means.signal.aborted) {
    await output.flush()
    await saveIndex(request.outputDir, output.index(null))
    throw abortError(means.signal)
  }
}

async function readRepositories(
  { plan, request, means, output, tally }: Run,
  how: Pick<ReadingContext, 'workDir' | 'plan'>,
  afterEach: () => Promise<void>,
): Promise<void> {
  const total = plan.repositories.length
  const shares = new Map<string, number>()
  const say = (url: string, share: number, message: string): void => {
    shares.set(url, share)
    means.progress(
      [...shares.values()].reduce((sum, one) => sum + one, 0),
      total,
      message,
    )
  }
  means.progress(0, total, counted(total, 'repository', 'repositories'))
  await runPooled(
    plan.repositories,
    (repository) => endpoint(repository.remote) ?? 'local',
    async (repository) => {
      if (means.signal.aborted) return
      const name = repository.entries[0]?.name ?? repository.remote.url
      await readRepository(repository, {
        ...means,
        ...how,
        retryDelaysMs: means.retryDelaysMs ?? RETRY_DELAYS_MS,
        trust: request.trust,
        wholeTrees: request.prune,
        output,
        tally,
        storePath: (of) => storePathOf(of, request.cloneDir),
        lockStore: (path) => takeLock(`${path}.lock`, means.now),
        openCache: (path) => openParseCache(cachePath(request.outputDir, path), means.reader.parserVersion),
        say: (message, share) => say(repository.remote.url, share, `${name}: ${message}`),
      })
      await afterEach()
      say(repository.remote.url, 1, `${name}: done`)
    },
  )
}

interface Finish {
  readonly removed: readonly IndexRecord[]
  readonly finished: Pick<IngestReport, 'pruned' | 'vectors' | 'failures'>
}

/** Index, removed files, vectors, and the index again with what is embedded. */
async function finish(run: Run): Promise<Finish> {
  const { request, means, output, stamps, tally } = run
  const { outputDir } = request
  await output.flush()
  const keepsVectors = [...output.records.values()].some(({ embedded }) => embedded)
  const removed = request.prune ? pruneRecords(output) : []
  // A run without embeddings, or one that is killed, leaves their removal to the next.
  if (keepsVectors) for (const { id } of removed) output.staleVectors.add(id)
  const finishedAt = means.now().toISOString()
  try {
    const names = [...output.records.values()].map(({ summary_file }) => summary_file)
    const index = output.index(finishedAt)
    await Promise.all([saveIndex(outputDir, index), stamps.save(names)])
    await removeFiles(outputDir, index.leftovers)
    output.leftovers.removed(index.leftovers)
    const vectors = await means.vectors?.update(vectorWork(run, index.stale_vectors))
    if (vectors) {
      tally.failures.push(...vectors.failures.map(withoutVector))
      output.staleVectors.clear()
      for (const [id, record] of output.records) {
        output.records.set(id, { ...record, embedded: vectors.embedded.has(id) })
      }
    }
    if (vectors || index.leftovers.length > 0) await saveIndex(outputDir, output.index(finishedAt))
    const finished = {
      pruned: inPlaceOrder(removed.map(({ repository, ref, path }) => ({ repository, ref, path }))),
      vectors: vectors
        ? { strategy: vectors.strategy, upserted: vectors.upserted, unchanged: vectors.unchanged }
        : null,
      failures: inPlaceOrder(tally.failures),
    }
    return { removed, finished }
  } catch (thrown) {
    throw storageFailure(thrown)
  }
}

function withoutVector({ why, ...place }: VectorFailure): Failure {
  return failureOf(
    place,
    refusal('embedding_failed', `No vector: ${why}. The next ingest sends just what is missing.`),
  )
}

function vectorWork({ request, means, output }: Run, removed: readonly string[]): VectorWork {
  return {
    outputDir: request.outputDir,
    records: [...output.records.values()],
    touched: output.touched(),
    removed,
    load: (record) => loadSummary(request.outputDir, record.summary_file),
    signal: means.signal,
    progress: (done, total) => means.progress(done, total, 'vectors'),
  }
}
