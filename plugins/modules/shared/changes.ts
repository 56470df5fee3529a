import type { IndexRecord, RepositoryRow } from '../output/module-index.ts'
import type { CatalogueHead, CatalogueRows } from './catalogue-rows.ts'

/** What changed in a catalogue after a change: all of it, and nothing of a later one. */
export interface Changes {
  readonly head: CatalogueHead
  /** By id; undefined: removed. */
  readonly records: ReadonlyMap<string, IndexRecord | undefined>
  readonly repositories: readonly RepositoryRow[]
  /** Repositories whose code changed. */
  readonly code: ReadonlySet<string>
}

const RECORDS_AT_ONCE = 2_000

/**
 * Reads the feed after `change` up to its head. Rows change in place, so that what is read while others commit is not yet
 * a state that the catalogue had: it is read on until nothing was committed meanwhile.
 */
export async function changesSince(rows: CatalogueRows, change: number): Promise<Changes> {
  const records = new Map<string, IndexRecord | undefined>()
  const repositories = new Map<string, RepositoryRow>()
  const code = new Set<string>()
  let seen = change
  for (let head = await rows.head(); ; ) {
    await readRecords(rows, seen, records)
    for (const row of await rows.repositoriesSince(seen)) repositories.set(row.repository, row)
    for (const repository of await rows.codeSince(seen)) code.add(repository)
    const next = await rows.head()
    if (next.change === head.change)
      return { head: next, records, repositories: [...repositories.values()], code }
    seen = head.change
    head = next
  }
}

async function readRecords(
  rows: CatalogueRows,
  change: number,
  into: Map<string, IndexRecord | undefined>,
): Promise<void> {
  for (let place = { change, id: '' }; ; ) {
    const found = await rows.recordsSince(place, RECORDS_AT_ONCE)
    for (const { id, record } of found) into.set(id, record)
    const last = found.at(-1)
    if (last === undefined || found.length < RECORDS_AT_ONCE) return
    place = last
  }
}
