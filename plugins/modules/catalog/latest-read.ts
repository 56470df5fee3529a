/** The newest version of a directory that no ingest was asked for, in a repository that one has read. */
import { isStableTag, orderTags } from '../git/tag-order.ts'
import { type IndexRecord, isDeleted, type ModuleIndex } from '../output/module-index.ts'
import { createPathSeries, isOfOther } from './path-series.ts'
import { groupVersions, latestBeside } from './versions.ts'

/** The ref that `latest` means beside a version of a module: where no series speaks for the module, one of the series of that version. */
export function latestRefBeside(index: ModuleIndex, version: IndexRecord): string | undefined {
  const { repository, path, ref } = version
  const own = index.records.filter((record) => record.repository === repository)
  const group = groupVersions(index, own).find((one) => one.path === path)
  return group === undefined ? latestRead(index, { repository, path }, ref) : latestBeside(group, version).ref
}

/**
 * The ref that `latest` means for a directory: of the refs that were read the newest stable tag that speaks for it, else the
 * default branch, else the first. Where tags name components and none of them this one, the newest of all, or, beside a
 * call of a tag, of its series. Where all that were read are of one other component, the default branch. Undefined for a repository that was never read.
 */
export function latestRead(
  { repositories }: Pick<ModuleIndex, 'repositories'>,
  { repository, path }: { readonly repository: string; readonly path: string },
  calledTag?: string,
): string | undefined {
  const row = repositories.find((one) => one.repository === repository)
  if (row === undefined) return undefined
  const asked = { ref: '', ref_kind: 'branch', directories: [path] } as const
  const series = createPathSeries(repository, [...row.readings, asked])
  const isOwn = series?.of(path) ?? (calledTag === undefined ? undefined : series?.beside(calledTag))
  const refsOf = (kind: 'tag' | 'branch') =>
    row.readings.filter((one) => one.ref_kind === kind && !isDeleted(one))
  const tags = orderTags(new Set(refsOf('tag').map(({ ref }) => ref)))
  const stable = tags.filter(isStableTag)
  const branches = refsOf('branch').map(({ ref }) => ref)
  const read = row.readings.flatMap(({ directories }) => directories)
  const isOthers = series === undefined && stable.some((tag) => isOfOther(repository, { tag, read }, path))
  const head = row.default_branch ?? undefined
  return (
    (isOthers ? head : stable.find((tag) => isOwn?.(tag) ?? true)) ??
    branches.find((ref) => ref === head) ??
    stable[0] ??
    tags[0] ??
    branches[0]
  )
}
