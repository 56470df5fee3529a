import { compare } from '../domain/order.ts'
import { isStableTag, orderTags } from '../git/tag-order.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { createRemovals } from './removed-paths.ts'

/** The records of one (repository, path), in the order readers want: tags newest first, then branches. */
export interface ModuleVersions {
  readonly repository: string
  readonly path: string
  readonly versions: readonly IndexRecord[]
  readonly latest: IndexRecord
  /** The release of the repository since which this directory is missing. */
  readonly removedSince?: string
}

/** Groups the records of an index by repository and path; `latest` by modules design 2.4. */
export function groupVersions(
  index: Pick<ModuleIndex, 'repositories'>,
  records: readonly IndexRecord[],
): ModuleVersions[] {
  const groups = new Map<string, IndexRecord[]>()
  for (const record of records) {
    const key = `${record.repository}\0${record.path}`
    groups.set(key, [...(groups.get(key) ?? []), record])
  }
  const removedSince = createRemovals(index)
  const defaults = new Map(index.repositories.map((row) => [row.repository, row.default_branch]))
  return [...groups.values()].flatMap((group) => {
    const versions = inOrder(group, defaults.get(group[0]?.repository ?? '') ?? undefined)
    const latest = latestOf(versions, defaults.get(group[0]?.repository ?? '') ?? undefined)
    if (latest === undefined) return []
    const { repository, path } = latest
    const since = removedSince(repository, path)
    return [{ repository, path, versions, latest, ...(since !== undefined && { removedSince: since }) }]
  })
}

/** The latest version of every module of an index. */
export function latestVersions(index: ModuleIndex): IndexRecord[] {
  return groupVersions(index, index.records).map(({ latest }) => latest)
}

function inOrder(records: readonly IndexRecord[], defaultBranch: string | undefined): IndexRecord[] {
  const tags = records.filter(({ ref_kind }) => ref_kind === 'tag')
  const branches = records.filter(({ ref_kind }) => ref_kind === 'branch')
  const place = new Map(orderTags(tags.map(({ ref }) => ref)).map((ref, at) => [ref, at]))
  return [
    ...tags.sort((a, b) => (place.get(a.ref) ?? 0) - (place.get(b.ref) ?? 0)),
    ...branches.sort(
      (a, b) => Number(b.ref === defaultBranch) - Number(a.ref === defaultBranch) || compare(a.ref, b.ref),
    ),
  ]
}

/** First stable tag, else the default branch, else the first. */
function latestOf(
  versions: readonly IndexRecord[],
  defaultBranch: string | undefined,
): IndexRecord | undefined {
  return (
    versions.find(({ ref, ref_kind }) => ref_kind === 'tag' && isStableTag(ref)) ??
    versions.find(({ ref, ref_kind }) => ref_kind === 'branch' && ref === defaultBranch) ??
    versions[0]
  )
}
