import { isDeepStrictEqual } from 'node:util'
import { loadIndex } from '../../../plugins/modules/output/index-file.ts'
import { loadSummary } from '../../../plugins/modules/output/summary-files.ts'
import { rankByWords } from '../../../plugins/modules/search/hybrid-ranking.ts'
import { loadLexicon } from '../../../plugins/modules/search/lexicon-file.ts'
import { openStore } from '../../../plugins/modules/search/open-store.ts'
import { type SearchIndex, searchIndexOf } from '../../../plugins/modules/search/search-index.ts'
import { searchIndexFolder } from '../../../plugins/modules/search/search-index-file.ts'
import { updateSet } from '../../../plugins/modules/search/search-index-update.ts'
import { openSegmentSet } from '../../../plugins/modules/segments/segment-set.ts'
import type { Disk } from '../../../server/plugin.ts'
import type { IngestStage } from './stage.ts'

const QUERIES = ['network', 'changed', 'b']

/** What readers find in an output directory, without times. */
export interface Output {
  readonly records: readonly unknown[]
  /** Summaries by file. */
  readonly summaries: ReadonlyMap<string, unknown>
  /** Names of all summary files, also of those that no record names. */
  readonly files: readonly string[]
  /** Digests of the vectors' documents by record. */
  readonly vectors: ReadonlyMap<string, string>
  /** How many modules are found by keywords, and which by some queries. */
  readonly keywords: unknown
  /** Files and vectors that a later run is to remove. */
  readonly unfinished: readonly string[]
}

/** Opens everything as a reader does. Throws for a damaged file or a record without its summary or vector. */
export async function readOutput(disk: Disk, { outputDir, embedding }: IngestStage): Promise<Output> {
  const index = await loadIndex(outputDir, disk)
  const records = index?.records ?? []
  const summaries = new Map<string, unknown>()
  for (const { summary_file, repository, ref, path } of records) {
    const summary = await loadSummary(outputDir, summary_file, disk)
    if (!isDeepStrictEqual([summary.repository, summary.ref, summary.path], [repository, ref, path]))
      throw new Error(`${summary_file} is the summary of another module`)
    summaries.set(summary_file, summary)
  }
  const store = await openStore(embedding, outputDir, { disk })
  const vectors = await store.digests()
  await store.close()
  for (const { id, embedded } of records)
    if (embedded && !vectors.has(id)) throw new Error(`the vector of ${id} is missing`)
  const lexicon = await loadLexicon(undefined)
  const load = (record: (typeof records)[number]) => loadSummary(outputDir, record.summary_file, disk)
  // A damaged index would be rebuilt, unnoticed: here it is a fault.
  const stored = openSegmentSet(searchIndexFolder(outputDir), disk)
  const updated = index && (await updateSet(stored, { index, lexicon, load }))
  const set = updated?.set ?? stored
  const search = set && searchIndexOf(set, lexicon)
  const names = await disk.list(outputDir).catch(() => [])
  return {
    records: records.map(({ last_updated: _, ...record }) => record),
    summaries,
    files: names.filter((name) => name.endsWith('.json')).sort(),
    vectors: new Map([...vectors].sort()),
    keywords: search ? await foundBy(search) : [],
    unfinished: [...(index?.leftovers ?? []), ...(index?.stale_vectors ?? [])],
  }
}

/** Every record with the refs of its module, and what each query finds. */
async function foundBy(index: SearchIndex): Promise<unknown> {
  const all = Array.from(index.select({}), (row) => [index.record(row), index.isLatest(row), index.refs(row)])
  const found: unknown[] = [all.map((record) => JSON.stringify(record)).sort()]
  for (const query of QUERIES) {
    const { rows } = await rankByWords(index, { query, filter: {}, limit: 100, examples: 'alike' })
    found.push(rows.map(({ row, score }) => [index.record(row).id, score]))
  }
  return found
}
