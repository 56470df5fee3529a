/** How answers that grow with a record are kept at a size that a model can take. */

/** A token of a budget stands for so many bytes. design handoff, section 9 */
export const BYTES_PER_TOKEN = 4

type Lists = Readonly<Record<string, readonly unknown[]>>

/** How much each entry of a list matters: those of the lowest rank come first. */
type Ranks<L extends Lists> = { readonly [K in keyof L]?: (entry: L[K][number]) => number }

export interface Budgeted<L extends Lists> {
  readonly lists: L
  /** List -> entries that are not in it; lists that are whole are not named. */
  readonly leftOut: Readonly<Record<string, number>>
}

/**
 * The lists cut to `maxBytes` of JSON together: in turns each takes its next most important entry, so that a long list does not
 * push out a short one. What is kept stands in the order it had.
 */
export function withinBytes<L extends Lists>(lists: L, maxBytes: number, ranks: Ranks<L> = {}): Budgeted<L> {
  const queues = Object.entries(lists).map(([name, entries]) => ({
    name,
    entries,
    order: orderOf(entries, ranks[name]),
    kept: new Set<number>(),
  }))
  let left = maxBytes
  for (let turn = 0; queues.some(({ order }) => turn < order.length); turn++) {
    for (const { entries, order, kept } of queues) {
      const at = order[turn]
      if (at === undefined) continue
      const size = Buffer.byteLength(JSON.stringify(entries[at])) + 1 // the comma
      if (size > left) continue
      left -= size
      kept.add(at)
    }
  }
  return {
    lists: Object.fromEntries(
      queues.map(({ name, entries, kept }) => [name, entries.filter((_, at) => kept.has(at))]),
    ) as unknown as L, // each list with entries of its own
    leftOut: Object.fromEntries(
      queues
        .filter(({ entries, kept }) => kept.size < entries.length)
        .map(({ name, entries, kept }) => [name, entries.length - kept.size]),
    ),
  }
}

function orderOf<T>(entries: readonly T[], rank: ((entry: T) => number) | undefined): readonly number[] {
  const places = entries.map((_, at) => at)
  if (!rank) return places
  const ranked = entries.map(rank)
  return places.sort((a, b) => (ranked[a] ?? 0) - (ranked[b] ?? 0) || a - b)
}
