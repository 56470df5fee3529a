import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { latestVersions } from './versions.ts'

/** Numbers of an index. Inputs, outputs, resources, providers and kinds are those of the latest versions. */
export function statsOf(index: ModuleIndex) {
  const latest = latestVersions(index)
  const sum = (pick: (record: IndexRecord) => number): number =>
    latest.reduce((total, record) => total + pick(record), 0)
  return {
    repositories: new Set(index.records.map(({ repository }) => repository)).size,
    refs: new Set(index.records.map(({ repository, ref }) => `${repository}\0${ref}`)).size,
    modules: latest.length,
    summaries: index.records.length,
    embedded: index.records.filter(({ embedded }) => embedded).length,
    inputs: sum(({ counts }) => counts.variables),
    required_inputs: sum(({ counts }) => counts.required),
    outputs: sum(({ counts }) => counts.outputs),
    resources: sum(({ counts }) => counts.resources),
    providers: countBy(latest, ({ provider }) => provider),
    kinds: countBy(latest, ({ kind }) => kind),
    finished_at: index.finished_at,
  }
}

/** Most first. */
function countBy(
  records: readonly IndexRecord[],
  keyOf: (record: IndexRecord) => string,
): Record<string, number> {
  const counted = new Map<string, number>()
  for (const record of records) counted.set(keyOf(record), (counted.get(keyOf(record)) ?? 0) + 1)
  return Object.fromEntries([...counted].sort((a, b) => b[1] - a[1]))
}
