import { matchesGlob } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

const MAX_PATTERN_CHARS = 500

/**
 * Whether a directory, or one it lies in, matches a glob of `*`, `**` and `?` (no braces, no classes).
 * `x/**` covers `x` itself.
 */
export function excludes(pattern: string, directory: string): boolean {
  const parts = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  const segments = directory === '.' ? [] : directory.split('/')
  for (let depth = segments.length === 0 ? 0 : 1; depth <= segments.length; depth++) {
    if (matchesGlob(parts, segments.slice(0, depth))) return true
  }
  return false
}

/** Errors: `invalid`/`path_refused` for a pattern that is empty, absolute, too long or climbs out, or holds `{` or `[`. */
export function parseGlob(typed: string): string {
  if (/[{[]/.test(typed)) {
    throw refusals.glob_syntax_refused()
  }
  const bad =
    typed === '' ||
    typed.length > MAX_PATTERN_CHARS ||
    typed.startsWith('/') ||
    /[\p{Cc}\\]/u.test(typed) ||
    typed.split('/').includes('..')
  if (bad) throw refusals.glob_refused()
  return typed
}
