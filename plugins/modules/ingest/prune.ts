import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RemoteListing } from '../git/remote.ts'
import type { IndexRecord } from '../index/module-index.ts'
import { refKey, type SummaryOutput } from './summary-output.ts'

/**
 * Takes out the records of refs the remote no longer has, and of directories that are gone from a ref this run read
 * again. Only repositories whose listing succeeded. Gives the removed records; their files are removed after the index
 * is written.
 */
export function pruneRecords(output: SummaryOutput): IndexRecord[] {
  const removed = [...output.records.values()].filter((record) => {
    const listing = output.listings.get(record.repository)
    if (listing === undefined) return false
    if (!hasRef(listing, record)) return true
    return output.directories.get(refKey(record.repository, record.ref))?.has(record.path) === false
  })
  for (const { id } of removed) output.records.delete(id)
  return removed
}

function hasRef(listing: RemoteListing, record: IndexRecord): boolean {
  const refs = record.ref_kind === 'tag' ? listing.tags : listing.branches
  return refs.has(record.ref.replace(/^refs\/(heads|tags)\//, ''))
}

/** Removes summary files that no record names; a name that is no plain file name is left alone. */
export async function removeFiles(outputDir: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (/^[A-Za-z0-9_+-][A-Za-z0-9._+-]*\.json$/.test(name)) await rm(join(outputDir, name), { force: true })
  }
}
