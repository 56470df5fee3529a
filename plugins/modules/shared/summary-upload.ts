import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { realDisk } from '../../../server/plugin.ts'
import { type IndexRecord, summaryFiles } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import { type CatalogueRows, summaryHashes } from './catalogue-rows.ts'

/** What one statement carries. */
const BYTES_AT_ONCE = 4 * 1024 * 1024
const HASHES_AT_ONCE = 10_000

/**
 * Adds the summaries of these records that the database lacks: before the records are published.
 * Errors: `conflict`/`index_damaged` for a file that is missing or has other bytes than its record says.
 */
export async function uploadSummaries(
  rows: CatalogueRows,
  outputDir: string,
  records: readonly IndexRecord[],
  disk = realDisk,
): Promise<void> {
  const files = new Map<string, string>()
  for (const record of records) {
    const names = summaryFiles([record])
    for (const [at, hash] of summaryHashes(record).entries()) files.set(hash, names[at] ?? '')
  }
  const hashes = [...files.keys()]
  let [batch, size] = [new Map<string, Buffer>(), 0]
  const flush = async (): Promise<void> => {
    if (batch.size > 0) await rows.addSummaries(batch)
    ;[batch, size] = [new Map(), 0]
  }
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
    for (const hash of await rows.missingSummaries(hashes.slice(at, at + HASHES_AT_ONCE))) {
      const bytes = await disk.readFile(join(outputDir, files.get(hash) ?? '')).catch((cause: unknown) => {
        throw refusals.summary_damaged({ cause })
      })
      if (createHash('sha256').update(bytes).digest('hex') !== hash) throw refusals.summary_damaged()
      if (size + bytes.length > BYTES_AT_ONCE) await flush()
      batch.set(hash, bytes)
      size += bytes.length
    }
  }
  await flush()
}
