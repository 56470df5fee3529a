/** Scope patterns: `*` within a segment, `**` across segments, `?` one character. Linear in text and pattern. */

/** True for an entry that names files: it has a slash, a dot-something, or a wildcard, and no blanks. */
export function looksLikePath(entry: string): boolean {
  return (
    entry !== '' &&
    !/\s/.test(entry) &&
    /[/*?]|\.[A-Za-z0-9]+$/.test(entry) &&
    !/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)
  )
}

/** Whether a path is meant by the pattern: it matches, or stands below the folder that the pattern names. */
export function inScope(pattern: string, path: string): boolean {
  const wanted = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  const given = path.replace(/^\.\//, '').split('/')
  if (matchSegments(wanted, given)) return true
  // A folder stands for all below it.
  return matchSegments([...wanted, '**'], given)
}

/** Greedy with one point of return: the last `**`. */
function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  let p = 0
  let s = 0
  let star = -1
  let resume = 0
  while (s < path.length) {
    const wanted = pattern[p]
    if (wanted === '**') {
      star = p++
      resume = s
    } else if (wanted !== undefined && matchSegment(wanted, path[s] ?? '')) {
      p++
      s++
    } else if (star >= 0) {
      p = star + 1
      s = ++resume
    } else return false
  }
  while (pattern[p] === '**') p++
  return p === pattern.length
}

function matchSegment(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    const wanted = pattern[p]
    if (wanted === '*') {
      star = p++
      resume = t
    } else if (wanted === '?' || (wanted !== undefined && wanted === text[t])) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resume
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
