/** Finds module directories that the newest release of their repository no longer has. */
import { isStableTag, orderTags } from '../git/tag-order.ts'
import type { ModuleIndex, Reading } from '../output/module-index.ts'

/** The stable release since which a directory is missing; undefined for one that the newest release has, or never had. */
export type RemovedSince = (repository: string, path: string) => string | undefined

/**
 * Prepares an index for several questions. Only readings of one directory with one set of options are compared: a
 * directory that was excluded, or never asked for, was not removed.
 */
export function createRemovals(index: Pick<ModuleIndex, 'repositories'>): RemovedSince {
  const rows = new Map(index.repositories.map((row) => [row.repository, row]))
  const series = new Map<string, readonly Series[]>()
  return (repository, path) => {
    const known = series.get(repository) ?? seriesOf(rows.get(repository)?.readings ?? [])
    series.set(repository, known)
    const states = known.map((one) => stateIn(one, path)).filter((state) => state !== undefined)
    return states.includes(LIVING) ? undefined : states[0]
  }
}

/** Stable releases that were read alike, newest first. */
type Series = readonly { readonly ref: string; readonly directories: ReadonlySet<string> }[]

const LIVING = ''

/** `LIVING`, the release since which the directory is missing, or undefined where no release had it. */
function stateIn(series: Series, path: string): string | undefined {
  const last = series.findIndex(({ directories }) => directories.has(path))
  if (last === -1) return undefined
  return last === 0 ? LIVING : series[last - 1]?.ref
}

function seriesOf(readings: readonly Reading[]): readonly Series[] {
  const groups = new Map<string, Reading[]>()
  for (const reading of readings) {
    if (reading.ref_kind !== 'tag' || !isStableTag(reading.ref)) continue
    const key = `${reading.path}\0${reading.options_digest}`
    groups.set(key, [...(groups.get(key) ?? []), reading])
  }
  return [...groups.values()].map((group) => {
    const place = new Map(orderTags(group.map(({ ref }) => ref)).map((ref, at) => [ref, at]))
    return [...group]
      .sort((a, b) => (place.get(a.ref) ?? 0) - (place.get(b.ref) ?? 0))
      .map(({ ref, directories }) => ({ ref, directories: new Set(directories) }))
  })
}
