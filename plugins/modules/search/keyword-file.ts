import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectoryDurably, writeFileDurably } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { type IndexRecord, stateDir } from '../index/module-index.ts'
import { buildKeywordIndex, type KeywordIndex, keywordDocument, loadKeywordIndex } from './keyword-index.ts'
import type { Lexicon } from './lexicon.ts'

type LoadSummary = (record: IndexRecord) => Promise<ModuleSummary>

/** What an index was built from; another digest means that it is stale. */
function sourceOf(records: readonly IndexRecord[]): string {
  const hash = createHash('sha256')
  for (const { id, summary_sha256 } of records) hash.update(`${id}:${summary_sha256}\n`)
  return hash.digest('hex')
}

/** An index over these records, built from their summaries, which are read one at a time. */
export async function buildFrom(
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
): Promise<KeywordIndex> {
  const documents = []
  for (const record of records) documents.push(keywordDocument(record.id, await load(record)))
  return buildKeywordIndex(documents, lexicon)
}

/** The stored index of `outputDir` when it was built from just these records, else one built now; nothing is written. */
export async function openKeywordIndex(
  outputDir: string,
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
): Promise<KeywordIndex> {
  const stored = await readStored(outputDir)
  const usable = stored?.source === sourceOf(records) ? loadKeywordIndex(stored.index, lexicon) : undefined
  return usable ?? buildFrom(records, load, lexicon)
}

/** Brings the stored index up to date with these records; writes only when they changed. */
export async function saveKeywordIndex(
  outputDir: string,
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
): Promise<void> {
  const stored = await readStored(outputDir)
  const source = sourceOf(records)
  if (stored?.source === source && loadKeywordIndex(stored.index, lexicon)) return
  await writeKeywordIndex(outputDir, records, load, lexicon)
}

/** Makes the stored index anew from these records, whatever stands there. */
export async function writeKeywordIndex(
  outputDir: string,
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
): Promise<void> {
  const index = await buildFrom(records, load, lexicon)
  await makeDirectoryDurably(stateDir(outputDir))
  const file = { source: sourceOf(records), index: index.toJSON() }
  await writeFileDurably(keywordPath(outputDir), JSON.stringify(file))
}

/** Derived and rebuildable: a file that cannot be read is as good as none. */
async function readStored(outputDir: string): Promise<{ source?: unknown; index?: unknown } | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(keywordPath(outputDir), 'utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function keywordPath(outputDir: string): string {
  return join(stateDir(outputDir), 'keyword.json')
}
