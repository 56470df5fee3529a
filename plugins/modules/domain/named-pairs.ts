/** Pairs the entries of two lists by their names. */

/** What has a name. */
export interface Named {
  readonly name: string
}

/** Removed names, added names, and the remaining ones as pairs, in the order of the lists. */
export function match<T extends Named>(before: readonly T[], after: readonly T[]) {
  const old = firstOfEach(before)
  const now = firstOfEach(after)
  return {
    removed: [...old.values()].filter(({ name }) => !now.has(name)),
    added: [...now.values()].filter(({ name }) => !old.has(name)),
    kept: [...now.values()].flatMap((entry): [T, T][] => {
      const earlier = old.get(entry.name)
      return earlier === undefined ? [] : [[earlier, entry]]
    }),
  }
}

/** Invalid modules declare a name twice: the first counts, as in summaries. */
function firstOfEach<T extends Named>(entries: readonly T[]): ReadonlyMap<string, T> {
  const first = new Map<string, T>()
  for (const entry of entries) if (!first.has(entry.name)) first.set(entry.name, entry)
  return first
}

/** A text without white space: how constraints and conditions are compared. */
export function spaceless(text: string): string {
  return text.replace(/\s+/g, '')
}
