import { counted, grouped } from '../../../server/plugin.ts'
import type { IndexRecord } from '../output/module-index.ts'
import type { ModulePlace, Warning } from './report.ts'
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

const SHOWN_STALE = 3

/**
 * One warning for each repository with records that pruning would remove: calls may be proposed that Terraform can no
 * longer fetch. Of another spelling of the URL there is a warning of its own. Call after `flush`.
 */
export function staleWarnings({ plan, output: { records, sightings } }: Run<SummaryOutput>): Warning[] {
  const planned = new Set(plan.repositories.map(({ remote }) => remote.url))
  const isStale = (record: IndexRecord): boolean =>
    planned.has(record.repository) && sightings.isAbsent(record)
  const stale = grouped([...records.values()].filter(isStale), ({ repository }) => repository)
  return [...stale].map(([repository, absent]) => {
    const shown = absent
      .slice(0, SHOWN_STALE)
      .map(({ ref, path }) => (path === '.' ? ref : `${path} in ${ref}`))
    const more = absent.length > shown.length ? ', …' : ''
    const message = `Kept, although the remote no longer has it or exclude_paths leave it out: ${shown.join(', ')}${more}. An ingest with prune removes ${counted(absent.length, 'summary', 'summaries')}.`
    return { repository, code: 'stale_summaries', message }
  })
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
