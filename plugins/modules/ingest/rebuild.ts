import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { inTightHeap, makeDirectoryDurably, parsedJson } from '../../../server/plugin.ts'
import { type ModuleSummary, SUMMARY_SCHEMA } from '../domain/summary.ts'
import { PARSER_VERSION } from '../hcl/parse-file.ts'
import { loadIndex, saveIndex } from '../output/index-file.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import { type IndexRecord, moduleId, stateDir } from '../output/module-index.ts'
import { absentIfDamaged } from '../output/stored-format.ts'
import { storageFailure } from '../output/summary-files.ts'
import { recordOf } from './summary-output.ts'

/** The fields that identify a file as a summary of satchel. */
const marked = z.looseObject({
  schema: z.literal(SUMMARY_SCHEMA),
  repository: z.string(),
  ref: z.string(),
  path: z.string(),
  name: z.string(),
  commit: z.string(),
  description: z.string(),
  readme_content: z.string(),
  kind: z.enum(['root', 'submodule', 'example']),
  ref_kind: z.enum(['branch', 'tag']),
  variables: z.array(z.looseObject({ name: z.string(), required: z.boolean() })),
  outputs: z.array(z.looseObject({ name: z.string() })),
  providers: z.array(z.looseObject({ name: z.string(), source: z.string() })),
  resources: z.array(z.looseObject({ type: z.string() })),
  data: z.array(z.looseObject({ type: z.string() })),
})

export interface Rebuilt {
  readonly modules: number
  /** JSON files of the directory that are not summaries. */
  readonly skipped: number
  /** Vectors computed again; 0 when there is no store, or its vectors cannot be computed from summaries. */
  readonly vectors: number
}

/** Rebuilds what search derives from the records. Returns the ids with a vector, or undefined when it left the store as it was. */
export type RebuildSearch = (records: readonly IndexRecord[]) => Promise<ReadonlySet<string> | undefined>

/**
 * Rebuilds the index, and through `rebuildSearch` the search files, from the summaries in `outputDir`; changes no
 * summary. Without an index to start from, the next ingest reads every ref again, because a summary does not say how it
 * was read.
 * Errors: `unavailable`/`storage_failed` if `outputDir` is not a directory or cannot be written; `conflict`/`ingest_running`; `conflict`/`index_damaged` for an index of a newer version, which is kept.
 */
export async function rebuildIndex(
  outputDir: string,
  now: () => Date,
  rebuildSearch: RebuildSearch,
): Promise<Rebuilt> {
  await makeDirectoryDurably(stateDir(outputDir)).catch((thrown: unknown) => {
    throw storageFailure(thrown)
  })
  const lock = await takeIngestLock(join(stateDir(outputDir), 'ingest.lock'))
  try {
    const before = await loadIndex(outputDir).catch(absentIfDamaged('index_damaged'))
    const known = new Map((before?.records ?? []).map((record) => [record.id, record]))
    const { records, skipped } = await recordsOf(outputDir, now().toISOString(), known)
    const save = (saved: IndexRecord[], stale_vectors: string[]): Promise<void> =>
      saveIndex(outputDir, {
        format: 1,
        parser_version: PARSER_VERSION,
        finished_at: before?.finished_at ?? null,
        repositories: before?.repositories ?? repositoryRows(records),
        records: saved,
        leftovers: before?.leftovers ?? [],
        stale_vectors,
        had_vectors: before?.had_vectors ?? false,
      })
    await save(records, before?.stale_vectors ?? [])
    const embedded = await inTightHeap(() => rebuildSearch(records))
    // The store was replaced: nothing stale is left in it.
    if (embedded) {
      const saved = records.map((record) => ({ ...record, embedded: embedded.has(record.id) }))
      await save(saved, [])
    }
    return { modules: records.length, skipped, vectors: embedded?.size ?? 0 }
  } catch (thrown) {
    throw storageFailure(thrown)
  } finally {
    await lock.release()
  }
}

async function recordsOf(
  outputDir: string,
  at: string,
  known: ReadonlyMap<string, IndexRecord>,
): Promise<{ records: IndexRecord[]; skipped: number }> {
  const byId = new Map<string, IndexRecord>()
  let skipped = 0
  for (const name of (await readdir(outputDir)).filter((file) => file.endsWith('.json')).sort()) {
    const bytes = await readFile(join(outputDir, name)).catch(() => undefined)
    const summary = bytes && parseSummary(bytes)
    if (summary === undefined || bytes === undefined) {
      skipped++
      continue
    }
    const id = moduleId(summary.repository, summary.ref, summary.path)
    const before = known.get(id)
    if (before !== undefined && before.summary_file !== name) continue // an older copy of a known module
    const written = {
      summary_file: name,
      summary_sha256: createHash('sha256').update(bytes).digest('hex'),
      options_digest: before?.options_digest ?? '',
      last_updated: before?.last_updated ?? at,
      embedded: before?.embedded ?? false,
    }
    const other_names = before?.other_names
    byId.set(id, { ...recordOf(id, summary, written), ...(other_names && { other_names }) })
  }
  return { records: [...byId.values()], skipped }
}

function parseSummary(bytes: Uint8Array): ModuleSummary | undefined {
  const read = parsedJson(new TextDecoder().decode(bytes))
  return marked.safeParse(read).success ? (read as ModuleSummary) : undefined // checked as far as the index looks
}

function repositoryRows(records: readonly IndexRecord[]) {
  const rows = new Map(
    records.map(({ repository, name }) => [
      repository,
      { repository, name, default_branch: null, readings: [] },
    ]),
  )
  return [...rows.values()]
}
