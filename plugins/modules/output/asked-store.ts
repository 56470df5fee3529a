/** Module versions that were read for a call and not by an ingest: one file for each, at most 200 of them. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import {
  makeDirectoryDurably,
  parsedJson,
  realDisk,
  removeQuietly,
  writeFileDurably,
} from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { CODE_VERSION } from '../hcl/code-blocks.ts'
import { PARSER_VERSION } from '../hcl/parse-file.ts'
import { refusals } from '../reasons.ts'
import { type IndexRecord, indexRecord, stateDir } from './module-index.ts'
import { loadSummary, storageFailure } from './summary-files.ts'

/** One of them. Its record is in no index: neither a search nor a list shows it. */
export interface AskedVersion {
  readonly record: IndexRecord
  readonly summary: ModuleSummary
  /** What a writer of code appended. */
  readonly code: string
  /** When the ref was last seen to name the commit of the record. */
  readonly seen_at: string
}

const FOLDER = 'asked'
const MAX_VERSIONS = 200
/** Another reader would read something else. */
const READER = `${PARSER_VERSION} ${CODE_VERSION}`

const stored = z.object({
  reader: z.literal(READER),
  record: indexRecord,
  summary: z.custom<ModuleSummary>((value) => typeof value === 'object' && value !== null),
  code: z.string(),
  seen_at: z.string(),
})

/** The file of a version, relative to the output directory. */
export function askedFile(id: string): string {
  return join(FOLDER, `${id}.json`)
}

/** Whether a record is of a version that no ingest has read. */
export function isAsked({ summary_file }: Pick<IndexRecord, 'id' | 'summary_file'>): boolean {
  return summary_file.startsWith(join(FOLDER, '/'))
}

/** The version with this id; undefined where it is not kept, or was kept by a version that reads otherwise. */
export async function loadAsked(outputDir: string, id: string): Promise<AskedVersion | undefined> {
  const text = await realDisk.readFile(pathOf(outputDir, id)).catch(() => undefined)
  // One that is damaged is read again.
  return text && stored.safeParse(parsedJson(text.toString('utf8'))).data
}

/** The ids of the versions that are kept. */
export async function listAsked(outputDir: string): Promise<readonly string[]> {
  const names = await realDisk.list(folderOf(outputDir)).catch(() => [])
  return names.flatMap((name) => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? [])
}

/** Keeps a version; those that were kept longest ago make room. Errors: `unavailable`/`storage_failed`. */
export async function saveAsked(outputDir: string, version: AskedVersion): Promise<void> {
  const { id } = version.record
  try {
    await makeDirectoryDurably(folderOf(outputDir))
    await writeFileDurably(pathOf(outputDir, id), `${JSON.stringify({ reader: READER, ...version })}\n`)
  } catch (thrown) {
    throw storageFailure(thrown)
  }
  const ids = await listAsked(outputDir)
  if (ids.length <= MAX_VERSIONS) return
  const ages = await Promise.all(
    ids.map(async (one) => ({
      id: one,
      at: (await stat(pathOf(outputDir, one)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  )
  const oldest = ages.sort((a, b) => a.at - b.at).slice(0, ids.length - MAX_VERSIONS)
  for (const one of oldest) await removeQuietly(realDisk, pathOf(outputDir, one.id))
}

/** The summary of any record, of the index or asked for. Errors: `conflict`/`index_damaged`. */
export async function loadRecordSummary(outputDir: string, record: IndexRecord): Promise<ModuleSummary> {
  if (!isAsked(record)) return await loadSummary(outputDir, record.summary_file)
  const found = await loadAsked(outputDir, record.id)
  if (found === undefined) throw refusals.summary_damaged()
  return found.summary
}

function folderOf(outputDir: string): string {
  return join(stateDir(outputDir), FOLDER)
}

function pathOf(outputDir: string, id: string): string {
  return join(folderOf(outputDir), `${id}.json`)
}
