import type { EmbeddingOptions } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { Failure } from '../ingest/report.ts'
import type { IndexRecord } from '../output/module-index.ts'

/** What a run hands to the vector store after summaries and index are on disk. */
export interface VectorWork {
  readonly outputDir: string
  /** Every record of the index. */
  readonly records: readonly IndexRecord[]
  /** Ids of this run, written or unchanged: their `last_updated` is refreshed. */
  readonly touched: ReadonlySet<string>
  /** Ids that were pruned, in this run or in one that could not remove their vectors. */
  readonly removed: readonly string[]
  load(record: IndexRecord): Promise<ModuleSummary>
  readonly signal: AbortSignal
  progress(done: number, total: number): void
}

export interface VectorReport {
  readonly strategy: string
  readonly upserted: number
  readonly unchanged: number
  /** Ids whose vectors are in the store now. */
  readonly embedded: ReadonlySet<string>
  readonly failures: readonly Failure[]
}

/** The vector step of one run: one update of the store. */
export interface VectorStep {
  update(work: VectorWork): Promise<VectorReport>
}

/**
 * Prepares the vector step before any git work, so that a missing key or a mixed store refuses the run at once.
 * Writes nothing yet. `trust` says who wrote the options: a `caller` of REST or MCP, or the operator.
 */
export type OpenVectors = (
  embedding: EmbeddingOptions,
  trust: 'operator' | 'caller',
  signal: AbortSignal,
) => Promise<VectorStep>
