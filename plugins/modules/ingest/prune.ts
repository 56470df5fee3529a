import { join } from 'node:path'
import { orMissing, realDisk } from '../../../server/plugin.ts'
import type { IndexRecord } from '../output/module-index.ts'
import type { ModulePlace } from './report.ts'
import type { Run } from './run.ts'
import type { SummaryOutput } from './summary-output.ts'

/**
 * Takes out the records that stand for nothing of their remotes any more. Gives them; their files are removed after the
 * index is written. Call after `flush`.
 */
export function pruneRecords({ records, sightings }: SummaryOutput): IndexRecord[] {
  const removed = [...records.values()].filter(sightings.isGone)
  for (const { id } of removed) records.delete(id)
  return removed
}

/**
 * What pruning would take out as far as a run tells that read nothing: of a ref that is still to be read nobody knows yet
 * which directories it has.
 */
export function knownGone({
  output: { records, sightings },
  tally: { planned },
}: Run<SummaryOutput>): ModulePlace[] {
  const isUnread = ({ repository, ref }: IndexRecord): boolean =>
    planned.some((one) => one.repository === repository && one.ref === ref)
  return [...records.values()]
    .filter((record) => sightings.isGone(record) && !isUnread(record))
    .map(({ repository, ref, path }) => ({ repository, ref, path }))
}

/** Removes summary files that no record names, durably; a name that is no plain file name is left alone. */
export async function removeFiles(
  outputDir: string,
  names: readonly string[],
  disk = realDisk,
): Promise<void> {
  for (const name of names) {
    if (/^[A-Za-z0-9_+-][A-Za-z0-9._+-]*\.json$/.test(name))
      await orMissing(disk.unlink(join(outputDir, name)))
  }
  if (names.length > 0) await disk.syncDirectory(outputDir)
}
