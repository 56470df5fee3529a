/** Finds records that stayed although their ref no longer has their directory. */
import { addTo } from '../../../server/plugin.ts'
import { isAsked } from '../output/asked-store.ts'
import type { IndexRecord, ModuleIndex, Reading } from '../output/module-index.ts'

export type IsLeftBehind = (record: IndexRecord) => boolean

/**
 * Whether the ref of a record was deleted, or was read again with the same options and its directory was not there: until an
 * ingest with prune the record stays, and tells of an older commit. What was read with other options says nothing of it.
 */
export function createLeftBehind({ repositories }: Pick<ModuleIndex, 'repositories'>): IsLeftBehind {
  const rows = new Map(repositories.map((row) => [row.repository, row.readings]))
  const known = new Map<string, ReadonlyMap<string, readonly Reading[]>>()
  return (record) => {
    if (isAsked(record)) return false
    const alike = known.get(record.repository) ?? readingsByKey(rows.get(record.repository) ?? [])
    known.set(record.repository, alike)
    const readings = alike.get(keyOf(record)) ?? []
    // Most records are of the commit that was read last.
    if (readings.length === 0 || readings.some(({ commit }) => commit === record.commit)) return false
    return !readings.some(({ directories }) => directories.includes(record.path))
  }
}

function readingsByKey(readings: readonly Reading[]): ReadonlyMap<string, readonly Reading[]> {
  const found = new Map<string, Reading[]>()
  for (const reading of readings) addTo(found, keyOf(reading), reading)
  return found
}

function keyOf({
  ref,
  ref_kind,
  options_digest,
}: Pick<Reading, 'ref' | 'ref_kind' | 'options_digest'>): string {
  return `${ref_kind}\0${options_digest}\0${ref}`
}
