/** Guesses which attribute of an object says now what a removed input said. */
import type { ModuleVersion } from './diff.ts'
import { INPUT, mostOf, samePlaces } from './same-place.ts'
import { typePaths } from './type-paths.ts'

/** An attribute of an input that is read, as `input.attribute`. */
const ATTRIBUTE = /\bvar\.([\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_][\p{L}\p{N}_-]*)+)/gu

/** How code takes an attribute of an object that may be null. */
const GUARDED =
  /\btry\((var(?:\.[\p{L}_][\p{L}\p{N}_-]*)+),null\)|\bvar\.[\p{L}\p{N}_.-]+==null\?null:(var(?:\.[\p{L}_][\p{L}\p{N}_-]*)+)/gu

/** Removed input -> `input.attribute`, where the code reads the one in the place of the other. A guess, never a fact. */
export function guessNested(before: ModuleVersion, after: ModuleVersion): ReadonlyMap<string, string> {
  const kept = new Set(after.summary.variables.map(({ name }) => name))
  const removed = new Set(before.summary.variables.flatMap(({ name }) => (kept.has(name) ? [] : [name])))
  if (removed.size === 0) return new Map()
  const attributes = new Set(
    after.summary.variables.flatMap(({ name, type }) => typePaths(name, type).map(({ path }) => path)),
  )
  const votes = samePlaces(before, after, (text, other) => [
    { text, pattern: INPUT, holds: (name) => removed.has(name) },
    {
      text: other.replace(GUARDED, '$1$2'),
      pattern: ATTRIBUTE,
      holds: (path) => attributes.has(path) && !text.includes(`var.${path}`),
    },
  ])
  return new Map(
    [...removed].flatMap((name) => {
      const now = mostOf(votes.get(name))
      return now === undefined ? [] : [[name, now] as const]
    }),
  )
}
