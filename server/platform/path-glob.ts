/**
 * Whether a path matches a glob of `*` (within a segment), `**` (any segments, none too) and `?` (one character); there
 * are neither braces nor classes. Both come as segments. Time is bounded by pattern length times path length, for
 * any pattern.
 */
export function matchesGlob(pattern: readonly string[], path: readonly string[]): boolean {
  return matches(pattern, path, '**', (wanted, given) => matches([...wanted], [...given], '*', sameCharacter))
}

/** Greedy with one point of return, the last `star`: what is before it is never looked at again. */
function matches(
  pattern: readonly string[],
  given: readonly string[],
  star: string,
  isOne: (wanted: string, given: string) => boolean,
): boolean {
  let at = 0
  let afterStar = -1
  let resume = 0
  for (let next = 0; next < given.length; ) {
    const wanted = pattern[at]
    if (wanted === star) {
      afterStar = ++at
      resume = next
    } else if (wanted !== undefined && isOne(wanted, given[next] ?? '')) {
      at++
      next++
    } else if (afterStar >= 0) {
      at = afterStar
      next = ++resume
    } else return false
  }
  while (pattern[at] === star) at++
  return at === pattern.length
}

function sameCharacter(wanted: string, given: string): boolean {
  return wanted === '?' || wanted === given
}
