import { type SatchelError, withoutHidden } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { LIMITS } from './limits.ts'
import { outOfRange } from './refusal.ts'
import { countChars } from './short-text.ts'

/** The subject of a proposal or lease: the whole document, or one section by its heading path. */
export type Target = { readonly kind: 'workspace' } | { readonly kind: 'section'; readonly path: string }

/**
 * `workspace` (or `*`), or `section:<heading path>` as `section:Architecture/Goals`.
 * Errors: `invalid`/`invalid_region`; `invalid`/`limit_exceeded` above 512 characters.
 */
export function parseTarget(text: string): Target {
  if (text === 'workspace' || text === '*') return { kind: 'workspace' }
  if (countChars(text) > LIMITS.targetChars) {
    throw outOfRange('length of the target in characters', LIMITS.targetChars)
  }
  const path = text.startsWith('section:')
    ? withoutHidden(text.slice('section:'.length)).normalize('NFC')
    : ''
  if (path === '') throw invalidRegion(text)
  return { kind: 'section', path }
}

/** The target as it is stored and shown; `*` becomes `workspace`. */
export function formatTarget(target: Target): string {
  return target.kind === 'workspace' ? 'workspace' : `section:${target.path}`
}

/** True when a change to one may touch the other: the whole document overlaps everything, a path its ancestors and descendants. */
export function overlaps(a: Target, b: Target): boolean {
  if (a.kind === 'workspace' || b.kind === 'workspace') return true
  return a.path === b.path || a.path.startsWith(`${b.path}/`) || b.path.startsWith(`${a.path}/`)
}

/** The refusal of a target that names no section of the document, with targets that do. */
export function invalidRegion(text: string, targets: readonly string[] = []): SatchelError {
  const target = text.slice(0, LIMITS.targetChars)
  return refusals.invalid_region({ details: { target, ...(targets.length > 0 && { targets }) } })
}
