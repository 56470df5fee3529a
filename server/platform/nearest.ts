/** Names farther away than this share of their length do not help. */
const MAX_DISTANCE_SHARE = 0.5

/**
 * The candidate most like `name`, or undefined when none is near: for "did you mean". Ignores case. At most `share` of
 * the longer name may differ, but always one character.
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  share = MAX_DISTANCE_SHARE,
): string | undefined {
  const wanted = name.slice(0, 100).toLowerCase()
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.slice(0, 100).toLowerCase())
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) * share))
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

/** The sentence of an error about an unknown name: the nearest one, else all. */
export function didYouMean(near: string | undefined, known: Iterable<string>): string {
  return near === undefined ? `Known: ${[...known].join(', ') || 'none'}.` : `Did you mean "${near}"?`
}

/** Letters to insert, remove, replace or exchange with the next; stops counting above `most`. */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = nextRow(a, b, i, [before, row])
    if (Math.min(...next) > most) return most + 1
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

function nextRow(
  a: string,
  b: string,
  i: number,
  [before, row]: readonly [before: readonly number[], row: readonly number[]],
): number[] {
  const next = [i]
  for (let j = 1; j <= b.length; j++) {
    const same = a[i - 1] === b[j - 1] ? 0 : 1
    const cost = Math.min((row[j - 1] ?? 0) + same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
    const isExchange = i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    next.push(isExchange ? Math.min(cost, (before[j - 2] ?? 0) + 1) : cost)
  }
  return next
}
