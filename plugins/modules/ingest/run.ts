import { join } from 'node:path'
import type { Disk, Log } from '../../../server/plugin.ts'
import type { RepositoryEntry } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { Trust } from '../git/admission.ts'
import type { RemoteListing } from '../git/remote.ts'
import { storePath } from '../git/store.ts'
import { type IndexRecord, type ModuleIndex, stateDir } from '../output/module-index.ts'
import type { VectorStep } from '../search/vector-update.ts'
import type { CatalogueRows } from '../shared/catalogue-rows.ts'
import type { QueueRows } from '../shared/queue-rows.ts'
import type { ChosenRef } from './choose-refs.ts'
import type { ModuleReader } from './module-reader.ts'
import { type Plan, type PlannedEntry, planRepositories, type RepositoryPlan } from './plan.ts'
import type { Failure, ModulePlace, RefCounts, Warning } from './report.ts'

/** Brings the search index of an output directory up to date with its module index. */
export type SaveSearch = (work: {
  readonly outputDir: string
  readonly index: ModuleIndex
  /** The index that the run began with: what did not change is the same object in both. */
  readonly earlier: ModuleIndex | undefined
  readonly disk: Disk | undefined
  load(record: IndexRecord): Promise<ModuleSummary>
}) => Promise<void>

/** The task of an ingest and its dependencies. Paths are absolute and confined to what the caller may touch. */
export interface RunRequest {
  readonly entries: readonly RepositoryEntry[]
  readonly outputDir: string
  readonly cloneDir: string
  /** Default of entries without `recursive`. */
  readonly recursive?: boolean | undefined
  /** The entries are all that belong here: what earlier runs of other entries could not read no longer counts as missing. */
  readonly replacesState?: boolean | undefined
  /** The repositories are shared with the workers of a queue; absent: this run reads all of them. */
  readonly shared?: SharedRun | undefined
  /** Removes the clones afterwards. */
  readonly cleanup?: boolean | undefined
  readonly prune?: boolean | undefined
  /** Only reports what would be read: nothing is fetched, locked or written. */
  readonly dryRun?: boolean | undefined
  readonly trust: Trust
  /** Base of relative repository paths. */
  readonly workingDirectory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly log: Log
  /** That of the output directory; absent: this machine's. */
  readonly disk?: Disk | undefined
  readonly reader: ModuleReader
  /** Brings the search index up to date; absent: a search does it when it needs to. */
  readonly saveSearch?: SaveSearch | undefined
  /** Absent: embeddings are off. */
  readonly vectors?: VectorStep | undefined
  /** The output directory that the vectors belong to; absent: that of the run. */
  readonly vectorsOf?: string | undefined
  /** Absent: those of modules design 2.6. */
  readonly retryDelaysMs?: readonly number[]
  /** How long a registry may take for one answer; absent: 30 seconds. */
  readonly registryAnswerMs?: number | undefined
  now(): Date
  progress(done: number, total: number, message: string): void
}

/** A catalogue in a database, of which the output directory is a copy. */
export interface SharedRun {
  readonly catalogue: string
  readonly rows: CatalogueRows
  readonly queue: QueueRows
  /** How long a worker may be silent until another one takes its repository. */
  readonly leaseMs: number
}

/** Counts and findings of a run, shared by its repositories. */
export interface Tally {
  readonly refs: RefCounts
  readonly failures: Failure[]
  readonly warnings: Warning[]
  /** What a dry run would read. */
  readonly planned: ModulePlace[]
}

/** Receives what a run reads, and knows what earlier runs read. */
export interface ReadingOutput {
  /** Announces the entries to come, so that their files can be checked early. */
  expect(repository: string, entries: readonly PlannedEntry[]): void
  /** The directories an earlier reading of this very commit with these options gave, if all of its files still exist. */
  earlier(repository: string, ref: ChosenRef, entry: PlannedEntry): Promise<readonly string[] | undefined>
  take(summary: ModuleSummary, entry: PlannedEntry): Promise<void>
  /** The commit that the last reading of this ref had. */
  commitBefore(repository: string, ref: string): string | undefined
  /** All summaries of this ref and entry have been taken. */
  done(repository: string, ref: ChosenRef, entry: PlannedEntry, directories: readonly string[]): void
  /** Resolves when everything taken and done so far is on disk. Errors: `unavailable`/`storage_failed`. */
  flush(): Promise<void>
  /** No more is taken of this repository: what was kept to read its next ref can go. */
  ended(repository: string): void
  /** Every module directory of a ref that was read, asked for or not; called by a run that prunes. */
  saw(repository: string, ref: string, directories: ReadonlySet<string>): void
  /** The current refs of the remote. */
  listed(repository: string, name: string, listing: RemoteListing): void
}

/** One ingest: its request, its plan, and where its results gather. Every step of the ingest takes this value. */
export interface Run<Output extends ReadingOutput = ReadingOutput> extends RunRequest {
  readonly plan: Plan
  readonly tally: Tally
  readonly output: Output
  /** Existing directory in which git runs. */
  readonly workDir: string
  /** Reports how far a repository is; `share` runs from 0 to 1. */
  say(repository: RepositoryPlan, share: number, message: string): void
}

/** Checks every entry of the request; does no I/O. The tally begins with the entries that were refused. */
export function planRun(request: RunRequest): Pick<Run, 'plan' | 'tally'> {
  const plan = planRepositories(request.entries, {
    recursive: request.recursive ?? false,
    workingDirectory: request.workingDirectory,
    parserVersion: request.reader.parserVersion,
  })
  const refs = { processed: 0, unchanged: 0, empty: 0, failed: 0 }
  return { plan, tally: { refs, failures: [...plan.failures], warnings: [], planned: [] } }
}

/** Reports progress as the sum over all repositories. */
export function sayOf(repositories: readonly RepositoryPlan[], { progress }: RunRequest): Run['say'] {
  const shares = new Map<RepositoryPlan, number>()
  return (repository, share, message) => {
    shares.set(repository, share)
    const name = repository.entries[0]?.name ?? repository.remote.url
    const done = [...shares.values()].reduce((sum, one) => sum + one, 0)
    // Clients show the number as it is: 1.2, never 1.2000000000000002.
    progress(Math.round(done * 1e6) / 1e6, repositories.length, `${name}: ${message}`)
  }
}

/** The directory of a repository's clone. */
export function clonePath({ cloneDir }: Pick<Run, 'cloneDir'>, { entries, remote }: RepositoryPlan): string {
  const name = (entries[0]?.name ?? '').replace(/[^A-Za-z0-9._+-]/g, '_').slice(0, 100)
  return storePath(cloneDir, name, remote.url)
}

/** The parse cache that belongs to a clone. */
export function cachePath({ outputDir }: Pick<Run, 'outputDir'>, clone: string): string {
  return join(stateDir(outputDir), 'parse', `${nameOfClone(clone)}.ndjson`)
}

/** Where the listing of the refs is kept that belongs to a clone. */
export function listingPath({ outputDir }: Pick<Run, 'outputDir'>, clone: string): string {
  return join(stateDir(outputDir), 'refs', `${nameOfClone(clone)}.txt`)
}

function nameOfClone(clone: string): string {
  return clone.slice(clone.lastIndexOf('/') + 1).replace(/\.git$/, '')
}
