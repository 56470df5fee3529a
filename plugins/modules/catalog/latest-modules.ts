import { compare } from '../domain/order.ts'
import { matchesProvider } from '../domain/providers.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import type { KeywordSearch } from '../search/list-ranking.ts'
import { isNamed } from './find.ts'
import { groupVersions } from './versions.ts'

export interface ModuleFilter {
  readonly provider?: string | undefined
  readonly repository?: string | undefined
  readonly kind?: IndexRecord['kind'] | undefined
}

/** A found module: its latest version, and why it was found. */
export interface FoundModule {
  readonly record: IndexRecord
  readonly score: number
  readonly matched: readonly { readonly field: string; readonly name: string }[]
}

/** Examples are rarely what is wanted: they rank behind. */
const EXAMPLE_SHARE = 0.4

/** The latest versions that pass the filter, by repository name and path. */
export function listLatest(index: ModuleIndex, filter: ModuleFilter): IndexRecord[] {
  return groupVersions(index, index.records)
    .map(({ latest }) => latest)
    .filter((record) => passes(record, filter))
    .sort(
      (a, b) =>
        compare(a.name.toLowerCase(), b.name.toLowerCase()) ||
        compare(a.repository, b.repository) ||
        compare(a.path, b.path),
    )
}

/** Ranks the latest versions for a query, best first; deterministic. */
export function rankLatest(
  search: KeywordSearch,
  records: readonly IndexRecord[],
  query: string,
): FoundModule[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  return search
    .search(query, new Set(byId.keys()))
    .flatMap(({ id, score, matched }) => {
      const record = byId.get(id)
      if (record === undefined) return []
      return [{ record, matched, score: record.kind === 'example' ? score * EXAMPLE_SHARE : score }]
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        compare(a.record.repository, b.record.repository) ||
        compare(a.record.path, b.record.path),
    )
}

function passes(record: IndexRecord, { provider, repository, kind }: ModuleFilter): boolean {
  if (provider !== undefined && !matchesProvider(provider, [record.provider, ...record.providers]))
    return false
  if (repository !== undefined && !isNamed(record.repository, record.name, repository)) return false
  return kind === undefined || record.kind === kind
}
