import { compare } from '../domain/order.ts'
import { matchesProvider } from '../domain/providers.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { isNamed } from './find.ts'
import { latestVersions } from './versions.ts'

export interface ModuleFilter {
  readonly provider?: string | undefined
  readonly repository?: string | undefined
  readonly kind?: IndexRecord['kind'] | undefined
}

/** The latest versions that pass the filter, by repository name and path. */
export function listLatest(index: ModuleIndex, filter: ModuleFilter): IndexRecord[] {
  return latestVersions(index)
    .filter((record) => passes(record, filter))
    .sort(
      (a, b) =>
        compare(a.name.toLowerCase(), b.name.toLowerCase()) ||
        compare(a.repository, b.repository) ||
        compare(a.path, b.path),
    )
}

function passes(record: IndexRecord, { provider, repository, kind }: ModuleFilter): boolean {
  if (provider !== undefined && !matchesProvider(provider, [record.provider, ...record.providers]))
    return false
  if (repository !== undefined && !isNamed(record.repository, record.name, repository)) return false
  return kind === undefined || record.kind === kind
}
