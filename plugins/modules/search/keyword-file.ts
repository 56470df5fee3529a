import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, makeDirectoryDurably, realDisk, writeFileDurably } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { type IndexRecord, stateDir } from '../output/module-index.ts'
import {
  isKeywordIndex,
  type KeywordIndex,
  keywordBuilder,
  keywordDocument,
  loadKeywordIndex,
  loadLargeKeywordIndex,
} from './keyword-index.ts'
import type { Lexicon } from './lexicon.ts'

/** A smaller index is loaded in one step: about 100 ms. */
const IN_PLACE_CHARS = 3_000_000

type LoadSummary = (record: IndexRecord) => Promise<ModuleSummary>

/** The digest of the records an index was built from; another digest means that it is stale. */
function sourceOf(records: readonly IndexRecord[]): string {
  const hash = createHash('sha256')
  for (const { id, summary_sha256 } of records) hash.update(`${id}:${summary_sha256}\n`)
  return hash.digest('hex')
}

/** An index over these records, built from their summaries, which are read one at a time and not kept. */
export async function buildFrom(
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
): Promise<KeywordIndex> {
  const builder = keywordBuilder(lexicon)
  for (const record of records) builder.add(keywordDocument(record.id, await load(record)))
  return builder.finish()
}

/** The stored index of `outputDir` when it was built from just these records, else one built now; nothing is written. */
export async function openKeywordIndex(
  outputDir: string,
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
  disk = realDisk,
): Promise<KeywordIndex> {
  const stored = await readStored(outputDir, disk)
  if (stored?.source !== sourceOf(records)) return buildFrom(records, load, lexicon)
  const loadStored = stored.chars > IN_PLACE_CHARS ? loadLargeKeywordIndex : loadKeywordIndex
  return (await loadStored(stored.index, lexicon)) ?? buildFrom(records, load, lexicon)
}

/** Brings the stored index up to date with these records; writes only when they changed. */
export async function saveKeywordIndex(
  outputDir: string,
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
  disk = realDisk,
): Promise<void> {
  const stored = await readStored(outputDir, disk)
  const source = sourceOf(records)
  if (stored?.source === source && isKeywordIndex(stored.index, lexicon)) return
  await writeKeywordIndex(outputDir, records, load, lexicon, disk)
}

/** Replaces the stored index by one built from these records. */
export async function writeKeywordIndex(
  outputDir: string,
  records: readonly IndexRecord[],
  load: LoadSummary,
  lexicon: Lexicon,
  disk = realDisk,
): Promise<void> {
  const index = await buildFrom(records, load, lexicon)
  await makeDirectoryDurably(stateDir(outputDir), undefined, disk)
  const file = { source: sourceOf(records), index: index.toJSON() }
  await writeFileDurably(keywordPath(outputDir), JSON.stringify(file), { disk })
}

interface Stored {
  readonly source?: unknown
  readonly index?: unknown
  readonly chars: number
}

/** Derived and rebuildable: an unreadable file counts as missing. */
async function readStored(outputDir: string, disk: Disk): Promise<Stored | undefined> {
  try {
    const text = (await disk.readFile(keywordPath(outputDir))).toString('utf8')
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value, chars: text.length } : undefined
  } catch {
    return undefined
  }
}

function keywordPath(outputDir: string): string {
  return join(stateDir(outputDir), 'keyword.json')
}
