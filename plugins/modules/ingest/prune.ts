import type { IndexRecord } from '../output/module-index.ts'
import type { ModulePlace } from './report.ts'
import type { Run } from './run.ts'
import type { SummaryOutput } from './summary-output.ts'

/**
 * Removes the records that no longer exist in their remotes and returns them; their files are removed after the index
 * is written. `isMeant`: only of these. Call after `flush`.
 */
export function pruneRecords(
  { records, sightings }: SummaryOutput,
  isMeant: (record: IndexRecord) => boolean = () => true,
): IndexRecord[] {
  const removed = [...records.values()].filter((record) => isMeant(record) && sightings.isAbsent(record))
  for (const { id } of removed) records.delete(id)
  return removed
}

/**
 * What pruning would remove, as far as a dry run can tell: the directories of a ref that is still to be read are not yet
 * known.
 */
export function knownAbsent({
  output: { records, sightings },
  tally: { planned },
}: Run<SummaryOutput>): ModulePlace[] {
  const isUnread = ({ repository, ref }: IndexRecord): boolean =>
    planned.some((one) => one.repository === repository && one.ref === ref)
  return [...records.values()]
    .filter((record) => sightings.isAbsent(record) && !isUnread(record))
    .map(({ repository, ref, path }) => ({ repository, ref, path }))
}
