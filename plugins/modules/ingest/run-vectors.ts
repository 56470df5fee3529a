import { loadIndex } from '../output/index-file.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { isReason, refusals } from '../reasons.ts'
import type { VectorFailure, VectorReport, VectorWork } from '../search/vector-update.ts'
import { type Failure, failureOf } from './report.ts'
import type { Run } from './run.ts'
import type { SummaryOutput } from './summary-output.ts'

/** A run that writes an output directory, and the index that it began with. */
type SavedRun = Run<SummaryOutput> & { readonly earlier: ModuleIndex | undefined }

/** What the vector step of a run did. */
export interface VectorOutcome {
  readonly report: VectorReport
  /** Whether the index on disk says something else of the vectors. */
  readonly isNews: boolean
}

/** Brings the vectors up to date with `index` and notes in the records what is embedded. Undefined without vectors. */
export async function updateVectors(run: SavedRun, index: ModuleIndex): Promise<VectorOutcome | undefined> {
  const report = await updateStore(run, index)
  if (report === undefined) return undefined
  const { output, tally } = run
  tally.failures.push(...report.failures.map(withoutVector))
  output.staleVectors.clear()
  let isNews = index.stale_vectors.length > 0
  for (const { id } of report.records) {
    const record = output.records.get(id)
    if (record === undefined) continue
    const isSame =
      record.embedded === report.embedded.has(id) && record.document_mark === report.embedded.get(id)
    if (isSame) continue
    output.records.set(id, withVector(record, report.embedded))
    isNews = true
  }
  return { report, isNews }
}

/** Notes in a record whether it has a vector, and of which document. */
export function withVector(record: IndexRecord, embedded: VectorReport['embedded']): IndexRecord {
  const { document_mark: _, ...rest } = record
  const mark = embedded.get(record.id)
  return { ...rest, embedded: embedded.has(record.id), ...(mark !== undefined && { document_mark: mark }) }
}

/** A store that is full costs the vectors of this run; its summaries are on disk, and the report says what is missing. */
async function updateStore(run: SavedRun, index: ModuleIndex): Promise<VectorReport | undefined> {
  try {
    return await run.vectors?.update(await vectorWork(run, index))
  } catch (thrown) {
    if (!isReason(thrown, 'store_full')) throw thrown
    for (const { remote } of run.plan.repositories) {
      run.tally.failures.push(failureOf({ repository: remote.url }, thrown))
    }
    return undefined
  }
}

function withoutVector({ why, ...place }: VectorFailure): Failure {
  return failureOf(place, refusals.embedding_failed({ why }))
}

/** Reads the summaries of a run's output directory. */
export function summaryLoader({ outputDir, disk }: Pick<Run, 'outputDir' | 'disk'>) {
  return (record: IndexRecord) => loadSummary(outputDir, record.summary_file, disk)
}

async function vectorWork(
  { outputDir, output, earlier, disk, signal, progress, vectorsOf = outputDir }: SavedRun,
  index: ModuleIndex,
): Promise<VectorWork> {
  return {
    index,
    earlier,
    owner: vectorsOf === outputDir ? undefined : await loadIndex(vectorsOf),
    records: index.records,
    touched: output.touched(),
    removed: index.stale_vectors,
    load: summaryLoader({ outputDir, disk }),
    signal,
    progress: (done, total) => progress(done, total, 'vectors'),
  }
}
