import { refusal } from '../reasons.ts'

const MAX_PATTERN_CHARS = 500

/**
 * Whether a directory, or one it lies in, matches a glob of `*`, `**` and `?` (no braces, no classes).
 * `x/**` covers `x` itself. Time is bounded by pattern length times path length.
 */
export function excludes(pattern: string, directory: string): boolean {
  const parts = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  const segments = directory === '.' ? [] : directory.split('/')
  for (let depth = segments.length === 0 ? 0 : 1; depth <= segments.length; depth++) {
    if (matchesPath(parts, segments.slice(0, depth))) return true
  }
  return false
}

/** Errors: `invalid`/`path_refused` for a pattern that is empty, absolute, too long or climbs out. */
export function parseGlob(typed: string): string {
  const bad =
    typed === '' ||
    typed.length > MAX_PATTERN_CHARS ||
    typed.startsWith('/') ||
    /[\p{Cc}\\]/u.test(typed) ||
    typed.split('/').includes('..')
  if (bad) throw refusal('path_refused', 'A pattern of exclude_paths is empty, absolute or climbs out.')
  return typed
}

function matchesPath(parts: readonly string[], segments: readonly string[]): boolean {
  // ways[i]: the first i pattern parts can match the segments read so far.
  let ways = closure(parts, new Set([0]))
  for (const segment of segments) {
    const next = new Set<number>()
    for (const at of ways) {
      const part = parts[at]
      if (part === '**') next.add(at)
      else if (part !== undefined && matchesSegment(part, segment)) next.add(at + 1)
    }
    ways = closure(parts, next)
  }
  return ways.has(parts.length)
}

/** `**` may match nothing. */
function closure(parts: readonly string[], ways: Set<number>): Set<number> {
  for (const at of ways) if (parts[at] === '**') ways.add(at + 1)
  return ways
}

function matchesSegment(pattern: string, text: string): boolean {
  let p = 0
  let star = -1
  let resume = 0
  for (let t = 0; t < text.length; ) {
    if (pattern[p] === '*') {
      star = p++
      resume = t
    } else if (pattern[p] === '?' || pattern[p] === text[t]) {
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
