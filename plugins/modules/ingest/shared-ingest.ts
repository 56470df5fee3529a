import { abortError } from '../git/failure.ts'
import { refusals } from '../reasons.ts'
import type { QueueEnd } from '../shared/queue-rows.ts'
import { type Ingested, ingest } from './ingest.ts'
import { createQueueFaults } from './queue-faults.ts'
import { createQueuePauses } from './queue-pauses.ts'
import { type Failure, failureOf, type IngestReport, inPlaceOrder } from './report.ts'
import { planRun, type RunRequest, type SharedRun } from './run.ts'
import { queuedRepositories, type ReadingOutcome } from './shared-run.ts'

/** The repository of a failure that is about none. */
const QUEUE = '(queue)'

/** An ingest into a catalogue of a database. */
export type SharedRequest = RunRequest & { readonly shared: SharedRun }

/**
 * Asks for all repositories of the request, reads them together with the workers of the queue, and ends when each was read
 * once by any of them. The report is about all of them. Errors: those of `ingest` and of the database.
 */
export async function ingestShared(request: SharedRequest): Promise<Ingested> {
  if (request.dryRun) return await ingest({ ...request, shared: undefined })
  const { shared, signal, now } = request
  const began = now().getTime()
  const { plan } = planRun(request)
  const queued = queuedRepositories(plan)
  await shared.rows.createCatalogue()
  await shared.queue.ask(queued, request.prune ?? false)
  let ingested = await ingest(request)
  const touched = new Set(ingested.touched)
  const changed = [...ingested.changed]
  const pauses = createQueuePauses(signal)
  for (let state = await shared.queue.state(queued); state.waiting > 0; ) {
    if (signal.aborted) throw abortError(signal)
    if (state.free > 0) {
      ingested = await ingest(request)
      for (const id of ingested.touched) touched.add(id)
      changed.push(...ingested.changed)
      pauses.after(ingested.report)
    }
    await pauses.next()
    state = await shared.queue.state(queued)
  }
  const ends = await shared.queue.ends(queued)
  const report = reportOf(ingested.report, [...plan.failures], ends)
  return { ...ingested, touched, changed, report: { ...report, duration_ms: now().getTime() - began } }
}

/**
 * Reads what the queue gives, until the request is aborted. A failure of the database or the disk ends nothing: the worker
 * goes on as soon as it can. Errors: `conflict`/`ingest_running` if another ingest has the output directory; those of the
 * database that have to be corrected, where it was not reached before.
 */
export async function workQueue(request: SharedRequest): Promise<IngestReport> {
  const { shared, signal, log, now } = request
  const began = now().getTime()
  const queued = queuedRepositories(planRun(request).plan)
  const reports: IngestReport[] = []
  const pauses = createQueuePauses(signal)
  const faults = createQueueFaults(log, signal)
  while (!signal.aborted) {
    try {
      const { free } = await shared.queue.state(queued)
      if (free > 0) {
        const { report } = await ingest(request)
        reports.push(report)
        pauses.after(report)
      }
      faults.over()
    } catch (thrown) {
      await faults.wait(thrown)
    }
    await pauses.next()
  }
  const duration_ms = now().getTime() - began
  const report = sumOf(reports, { ...request, duration_ms, repositories: queued.length })
  if (!faults.last) return report
  return { ...report, failures: [...report.failures, failureOf({ repository: QUEUE }, faults.last)] }
}

function reportOf(last: IngestReport, failures: readonly Failure[], ends: readonly QueueEnd[]): IngestReport {
  const all = [...failures, ...ends.flatMap(failureOfEnd)]
  // The reports of one run repeat what is about no repository of the queue: vectors that could not be made.
  const own = last.failures.filter(({ reason }) => reason === 'embedding_failed' || reason === 'store_full')
  const outcomes = ends.flatMap(
    ({ end, outcome }) =>
      end === 'done' && outcome !== undefined ? [JSON.parse(outcome) as ReadingOutcome] : [], // a worker wrote it
  )
  return {
    ...last,
    refs: refsOf(outcomes),
    modules: sum(outcomes, 'modules'),
    written: sum(outcomes, 'written'),
    pruned: inPlaceOrder(outcomes.flatMap(({ pruned }) => pruned)),
    failures: inPlaceOrder([...all, ...own, ...outcomes.flatMap((outcome) => outcome.failures)]),
    warnings: inPlaceOrder([
      ...last.warnings.filter(isOfPlan),
      ...outcomes.flatMap(({ warnings }) => warnings),
    ]),
  }
}

/** A warning of the plan, which no worker gives. */
function isOfPlan({ code }: { readonly code: string }): boolean {
  return code === 'url_respelled'
}

function failureOfEnd({ repository, end }: QueueEnd): readonly Failure[] {
  if (end === 'given_up') return [failureOf({ repository }, refusals.reading_given_up())]
  return end === 'asked_otherwise' ? [failureOf({ repository }, refusals.asked_otherwise())] : []
}

function sum(outcomes: readonly ReadingOutcome[], key: 'modules' | 'written'): number {
  return outcomes.reduce((total, outcome) => total + outcome[key], 0)
}

function refsOf(outcomes: readonly { readonly refs: IngestReport['refs'] }[]): IngestReport['refs'] {
  const refs = { processed: 0, unchanged: 0, empty: 0, failed: 0 }
  for (const outcome of outcomes) {
    for (const key of ['processed', 'unchanged', 'empty', 'failed'] as const) refs[key] += outcome.refs[key]
  }
  return refs
}

function sumOf(
  reports: readonly IngestReport[],
  { outputDir, ...own }: Pick<RunRequest, 'outputDir'> & Pick<IngestReport, 'duration_ms' | 'repositories'>,
): IngestReport {
  const total = (key: 'modules' | 'written' | 'reference_reads') =>
    reports.reduce((all, report) => all + report[key], 0)
  return {
    repositories: own.repositories,
    refs: refsOf(reports),
    modules: total('modules'),
    written: total('written'),
    pruned: inPlaceOrder(reports.flatMap(({ pruned }) => pruned)),
    vectors: reports.at(-1)?.vectors ?? null,
    reference_reads: total('reference_reads'),
    failures: inPlaceOrder(reports.flatMap(({ failures }) => failures)),
    warnings: inPlaceOrder(reports.flatMap(({ warnings }) => warnings)),
    output_dir: outputDir,
    duration_ms: own.duration_ms,
  }
}
