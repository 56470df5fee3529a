/** Which tags of a repository speak for which of its directories (decision 140). */
import { isStableTag } from '../git/tag-order.ts'
import { COMMON_SERIES, createSeriesNames, seriesKey } from '../git/tag-series.ts'
import type { Reading } from '../output/module-index.ts'

export type IsOfSeries = (tag: string) => boolean

/** The series of a repository that has several. */
export interface PathSeries {
  /**
   * The tags that speak for a directory: those of the component that its path names last, else those without a component.
   * Undefined where there are neither: then no tag says more of it than another.
   */
  of(path: string): IsOfSeries | undefined
  /** The tags of the series of this one; undefined for a tag without a version. */
  beside(tag: string): IsOfSeries | undefined
  nameOf(tag: string): string | undefined
}

/** Whether the tags of a repository are those of one component, and this directory is not in it. */
export function isOfOther(
  repository: string,
  { tag, read }: { readonly tag: string; readonly read: readonly string[] },
  path: string,
): boolean {
  const name = createSeriesNames(repository)(tag)
  const isNamed = (directory: string): boolean =>
    lineage(directory).some((one) => endings(one).some((ending) => ending === name))
  return name !== undefined && name !== COMMON_SERIES && !isNamed(path) && read.some(isNamed)
}

/** What a listing of a remote alone tells of a directory: other directories may have a better claim to a series. */
export type Claim =
  | { readonly kind: 'own' | 'common'; readonly isOf: IsOfSeries }
  /** `unsure`: there is one series, or a series resembles its path. `none`: no tag says more of it than another. */
  | { readonly kind: 'unsure' | 'none' }

/** Which tags of a remote speak for a directory. `repository` is its URL. */
export function claimOf(repository: string, tags: Iterable<string>, path: string): Claim {
  const listed = [...tags]
  const nameOf = createSeriesNames(repository)
  const names = new Set(listed.map(nameOf).filter((name) => name !== undefined))
  if (names.size < 2) return { kind: 'unsure' } // one series: any tag speaks for every directory
  const ends = lineage(path).map(endings)
  const own = ends.flat().find((ending) => names.has(ending))
  if (own !== undefined) return { kind: 'own', isOf: (tag) => nameOf(tag) === own }
  const components = [...names].filter((name) => name !== COMMON_SERIES)
  if (ends.some((directory) => resembling(directory, components) !== undefined)) return { kind: 'unsure' }
  const hasCommon = listed.some((tag) => nameOf(tag) === COMMON_SERIES && isStableTag(tag))
  return hasCommon ? { kind: 'common', isOf: (tag) => nameOf(tag) === COMMON_SERIES } : { kind: 'none' }
}

interface WithDirectories {
  readonly directories: readonly string[]
}

/** Undefined for a repository with one series, where any tag speaks for every directory. `repository` is its URL. */
export function createPathSeries(
  repository: string,
  readings: readonly (Pick<Reading, 'ref' | 'ref_kind'> & WithDirectories)[],
): PathSeries | undefined {
  const tags = new Set(readings.filter(({ ref_kind }) => ref_kind === 'tag').map(({ ref }) => ref))
  const nameOf = createSeriesNames(repository)
  const names = new Set([...tags].map(nameOf).filter((name) => name !== undefined))
  if (names.size < 2) return undefined
  const hasCommon = [...tags].some((tag) => nameOf(tag) === COMMON_SERIES && isStableTag(tag))
  names.delete(COMMON_SERIES)
  const owners = ownersOf(readings, names)
  const isOf = (name: string): IsOfSeries => {
    return (tag) => nameOf(tag) === name
  }
  return {
    of(path) {
      const name = lineage(path)
        .map((directory) => owners.get(directory))
        .find((found) => found !== undefined)
      if (name !== undefined) return isOf(name)
      return hasCommon ? isOf(COMMON_SERIES) : undefined
    },
    beside(tag) {
      const name = nameOf(tag)
      return name === undefined ? undefined : isOf(name)
    },
    nameOf,
  }
}

/** Directory -> the series that names it. A series that is the end of some path names no path that only resembles it. */
function ownersOf(
  readings: readonly WithDirectories[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const all = new Set([...new Set(readings.flatMap(({ directories }) => directories))].flatMap(lineage))
  for (const directory of all) {
    const name = endings(directory).find((ending) => names.has(ending))
    if (name !== undefined) owners.set(directory, name)
  }
  const taken = new Set(owners.values())
  const left = [...names].filter((name) => !taken.has(name))
  if (left.length === 0) return owners
  for (const directory of all) {
    if (owners.has(directory)) continue
    const name = resembling(endings(directory), left)
    if (name !== undefined) owners.set(directory, name)
  }
  return owners
}

/** The one series that ends like the path, as `aws-vpc` for `modules/vpc`, or that the last part of the path ends with. */
function resembling(ends: readonly string[], names: readonly string[]): string | undefined {
  for (const end of ends) {
    const like = names.filter((name) => name.endsWith(`-${end}`))
    if (like.length > 0) return like.length === 1 ? like[0] : undefined
  }
  const last = ends.at(-1)
  const short = names.filter((name) => last?.endsWith(`-${name}`))
  return short.length === 1 ? short[0] : undefined
}

/** A path and the directories around it, the innermost first; not the root. */
function lineage(path: string): string[] {
  const parts = path === '.' ? [] : path.split('/')
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/'))
}

/** `modules/aws/vpc`: `aws-vpc`, `vpc`; the longest first. */
function endings(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, at) => seriesKey(parts.slice(at).join('/')))
}
