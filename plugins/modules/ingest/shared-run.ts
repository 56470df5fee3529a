import { createHash, randomUUID } from 'node:crypto'
import { realDisk } from '../../../server/plugin.ts'
import { repositoryKey } from '../domain/module-source.ts'
import { CODE_FORMAT, codePath } from '../output/code-store.ts'
import type { IndexRecord } from '../output/module-index.ts'
import { remoteEndpoint } from '../registry/remote.ts'
import type { Publication } from '../shared/catalogue-rows.ts'
import { withoutVector } from '../shared/follow.ts'
import { keepLease } from '../shared/lease.ts'
import { type Claim, endingClaim, type QueuedRepository } from '../shared/queue-rows.ts'
import { uploadSummaries } from '../shared/summary-upload.ts'
import type { RepositoryPlan } from './plan.ts'
import { MAX_CONCURRENT } from './pool.ts'
import { pruneRecords } from './prune.ts'
import { readRepository } from './read-repository.ts'
import type { ModulePlace } from './report.ts'
import type { Run, SharedRun, Tally } from './run.ts'
import type { SummaryOutput } from './summary-output.ts'

/** A run whose repositories other workers may read as well. */
export interface ClaimingRun extends Run<SummaryOutput> {
  readonly shared: SharedRun
  /** The change of the catalogue that the output directory had when the run began. */
  readonly change: number
  /** The records then. */
  readonly before: ReadonlyMap<string, IndexRecord>
}

/** What became of the claims of a run. */
export interface Claimed {
  readonly removed: readonly IndexRecord[]
  /** Some of what the run wrote was not published: the folder holds what no row has. */
  readonly isLeft: boolean
}

/** What a worker says of a repository that it read; a row of the queue keeps it as JSON. */
export interface ReadingOutcome extends Pick<Tally, 'refs' | 'failures' | 'warnings'> {
  readonly modules: number
  readonly written: number
  readonly pruned: readonly ModulePlace[]
}

/** The planned repositories as the queue knows them. */
export function queuedRepositories({ repositories }: Run['plan']): readonly QueuedRepository[] {
  return repositories.map(({ remote, entries }) => {
    const shape = entries.map(({ asked, includeTags, maxTags, optionsDigest }) => [
      optionsDigest,
      asked.map((ref) => JSON.stringify(ref)),
      includeTags,
      String(maxTags),
    ])
    return {
      repository: remote.url,
      host: remoteEndpoint(remote) ?? `local ${remote.url}`, // no host has to be spared
      options_digest: createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16),
    }
  })
}

/**
 * Reads what the queue gives, until it gives nothing: each repository is published as soon as it is read, in one transaction
 * with the end of its claim. Errors: those of the database; `unavailable`/`storage_failed`.
 */
export async function readClaimed(
  run: ClaimingRun,
  afterEach: (repository: RepositoryPlan) => Promise<void>,
): Promise<Claimed> {
  const { plan, shared, signal } = run
  /** What could not be published is read again by a run that has followed. */
  let queued = queuedRepositories(plan)
  const planned = new Map(plan.repositories.map((one) => [one.remote.url, one]))
  const removed: IndexRecord[] = []
  let isLeft = false
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const claim = await shared.queue.claim(queued, run.change, randomUUID())
      const repository = claim && planned.get(claim.repository)
      if (claim === undefined || repository === undefined) return
      const pruned = await readOne(run, repository, claim)
      if (pruned === undefined) {
        isLeft = true
        queued = queued.filter((one) => one.repository !== claim.repository)
      } else removed.push(...pruned)
      await afterEach(repository)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return { removed, isLeft }
}

/** The records that were pruned; undefined for a repository that was not published. */
async function readOne(
  run: ClaimingRun,
  repository: RepositoryPlan,
  claim: Claim,
): Promise<readonly IndexRecord[] | undefined> {
  const { shared, output } = run
  const lease = keepLease(shared.queue, claim.id, shared.leaseMs)
  const code = codePath(run.outputDir, claim.repository)
  const codeBytes = (await (run.disk ?? realDisk).stat(code))?.size ?? 0
  const tally: Tally = {
    refs: { processed: 0, unchanged: 0, empty: 0, failed: 0 },
    failures: [],
    warnings: [],
    planned: [],
  }
  try {
    const signal = AbortSignal.any([run.signal, lease.signal])
    await readRepository(repository, { ...run, tally, prune: claim.prune, signal })
    if (run.signal.aborted) await shared.queue.release(claim.id)
    if (signal.aborted) return undefined
    await output.flush()
    const removed = claim.prune ? pruneRecords(output, ({ repository: url }) => isOf(url, claim)) : []
    const isPublished = await publish(run, claim, { tally, removed, codeBytes })
    addTally(run.tally, tally)
    return isPublished ? removed : undefined
  } finally {
    lease.stop()
  }
}

function isOf(url: string, { repository }: Claim): boolean {
  return repositoryKey(url) === repositoryKey(repository)
}

interface Read {
  readonly tally: Tally
  readonly removed: readonly IndexRecord[]
  /** What the file of its code had before. */
  readonly codeBytes: number
}

/** SQLSTATE of a name that is taken: another worker gave it to another module. */
const NAME_TAKEN = '23505'

async function publish(run: ClaimingRun, claim: Claim, read: Read): Promise<boolean> {
  const { shared, output, disk = realDisk } = run
  const all = [...output.records.values()].filter(({ repository }) => repository === claim.repository)
  const records = all.filter((record) => !isSame(record, run.before.get(record.id))).map(withoutVector)
  const outcome = JSON.stringify(outcomeOf(run, claim, read))
  const row = output.repositoryRow(claim.repository)
  if (row === undefined) return await shared.queue.complete(claim.id, outcome)
  await uploadSummaries(shared.rows, run.outputDir, records, disk)
  const code = await disk.readFile(codePath(run.outputDir, claim.repository)).catch(() => Buffer.alloc(0))
  const publication: Publication = {
    repository: row,
    records,
    removed: read.removed.map(({ id }) => id),
    code: code.subarray(read.codeBytes),
    codeFormat: CODE_FORMAT,
  }
  try {
    return await shared.rows.publish(publication, endingClaim(claim.id, outcome))
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === NAME_TAKEN)) throw thrown
    await shared.queue.release(claim.id) // the next run knows the name
    return false
  }
}

function isSame(record: IndexRecord, before: IndexRecord | undefined): boolean {
  return (
    before !== undefined && JSON.stringify(withoutVector(record)) === JSON.stringify(withoutVector(before))
  )
}

function outcomeOf({ output, before }: ClaimingRun, { repository }: Claim, read: Read): ReadingOutcome {
  const own = [...output.touched()].flatMap((id) => {
    const record = output.records.get(id)
    return record?.repository === repository ? [record] : []
  })
  const { refs, failures, warnings } = read.tally
  return {
    refs,
    failures,
    warnings,
    modules: own.length,
    written: own.filter(({ id, summary_sha256 }) => before.get(id)?.summary_sha256 !== summary_sha256).length,
    pruned: read.removed.map(({ repository: url, ref, path }) => ({ repository: url, ref, path })),
  }
}

function addTally(to: Tally, { refs, failures, warnings }: Tally): void {
  for (const key of ['processed', 'unchanged', 'empty', 'failed'] as const) to.refs[key] += refs[key]
  to.failures.push(...failures)
  to.warnings.push(...warnings)
}
