/** What the code of two versions of a module reads in the same place. */
import type { ModuleVersion } from './diff.ts'
import { blocksByAddress, isKept } from './module-code.ts'

/** Why a guess is made that rests on `samePlaces`. */
export const SAME_PLACE = 'the code uses it in the same place'

/** An input that is read, its name captured. */
export const INPUT = /\bvar\.([\p{L}_][\p{L}\p{N}_-]*)/gu

/** What of a text is compared: what the pattern captures and `holds` is true of. */
export interface Readings {
  readonly text: string
  /** Global, with one group. */
  readonly pattern: RegExp
  readonly holds: (captured: string) => boolean
}

/** How often an attribute of the code reads the one now where it read the other before, and is the same otherwise: old -> new -> count. */
export function samePlaces(
  before: ModuleVersion,
  after: ModuleVersion,
  readings: (text: string, other: string) => readonly [Readings, Readings],
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const votes = new Map<string, Map<string, number>>()
  if (before.code === undefined || after.code === undefined) return votes
  const now = blocksByAddress(after.code)
  for (const [address, attributes] of blocksByAddress(before.code)) {
    for (const [path, text] of Object.entries(attributes)) {
      const other = now.get(address)?.[path]
      if (other === undefined || other === text || !isKept(text) || !isKept(other)) continue
      for (const [from, to] of paired(...readings(text, other))) {
        const counts = votes.get(from) ?? new Map<string, number>()
        votes.set(from, counts.set(to, (counts.get(to) ?? 0) + 1))
      }
    }
  }
  return votes
}

function paired(before: Readings, after: Readings): readonly (readonly [string, string])[] {
  if (opened(before) !== opened(after)) return []
  const now = captured(after)
  return captured(before).flatMap((from, at) => {
    const to = now[at]
    return to === undefined ? [] : [[from, to] as const]
  })
}

function opened({ text, pattern, holds }: Readings): string {
  return text.replace(pattern, (whole, name: string) => (holds(name) ? 'var.?' : whole))
}

function captured({ text, pattern, holds }: Readings): string[] {
  return [...text.matchAll(pattern)].flatMap(([, name = '']) => (holds(name) ? [name] : []))
}

/** The one that most say; undefined where two are said as often. */
export function mostOf(counts: ReadonlyMap<string, number> | undefined): string | undefined {
  if (counts === undefined) return undefined
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a)
  return first !== undefined && first[1] !== second?.[1] ? first[0] : undefined
}
