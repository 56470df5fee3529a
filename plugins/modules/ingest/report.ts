import { type ErrorCode, isSatchelError } from '../../../server/plugin.ts'
import { compare } from '../domain/order.ts'
import { redact } from '../git/failure.ts'

/** One module version. */
export interface ModulePlace {
  readonly repository: string
  readonly ref: string
  readonly path: string
}

/** Something that could not be processed, with its reason (reasons.ts). */
export interface Failure {
  readonly repository: string
  readonly ref?: string
  readonly path?: string
  readonly code: ErrorCode
  readonly reason: string
  readonly message: string
}

/** Something a reader should know although the work was done. */
export interface Warning {
  readonly repository: string
  readonly ref?: string
  readonly path?: string
  readonly code: string
  readonly message: string
}

/** Where in the work a failure or a warning happened. */
export interface Place {
  readonly repository: string
  readonly ref?: string
  readonly path?: string
}

/** Counts the refs of a run by outcome. */
export interface RefCounts {
  processed: number
  unchanged: number
  empty: number
  failed: number
}

/** The result of a run; the same at every door (modules design 7). */
export interface IngestReport {
  readonly repositories: number
  readonly refs: Readonly<RefCounts>
  readonly modules: number
  readonly written: number
  readonly pruned: readonly ModulePlace[]
  readonly vectors: {
    readonly strategy: string
    readonly upserted: number
    readonly unchanged: number
  } | null
  readonly reference_reads: number
  readonly failures: readonly Failure[]
  readonly warnings: readonly Warning[]
  readonly output_dir: string
  readonly duration_ms: number
  /** Of a dry run: what would be read. `pruned` is then what a run with `prune` is known to remove. */
  readonly planned?: readonly ModulePlace[]
}

/** Converts a thrown value to a failure. Anything but a `SatchelError` is a fault of this program: its text is only logged. */
export function failureOf(place: Place, thrown: unknown): Failure {
  if (isSatchelError(thrown)) {
    return { ...place, code: thrown.code, reason: thrown.reason, message: thrown.message }
  }
  return { ...place, code: 'internal', reason: 'internal', message: 'Internal error' }
}

/** A typed URL as it may be shown although it was refused: nothing between scheme and last `@`, no query, no fragment. */
export function shownUrl(typed: string): string {
  const at = typed.lastIndexOf('@')
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(typed)?.[0] ?? ''
  const open = at < 0 ? typed : `${scheme}***@${typed.slice(at + 1)}`
  return redact(open.replace(/([?#]).*$/s, '$1***'), []).slice(0, 200)
}

/** Refs that a warning names beside its own. */
const NAMED_REFS = 3

/** Warnings that say the same of a directory at several refs are one: what is wrong in it is wrong in every release. */
export function withoutRepeats(warnings: readonly Warning[]): Warning[] {
  const alike = new Map<string, [Warning, ...Warning[]]>()
  for (const warning of inPlaceOrder(warnings)) {
    const { repository, path, code, message } = warning
    const key = JSON.stringify([repository, path, code, message])
    const known = alike.get(key)
    if (known) known.push(warning)
    else alike.set(key, [warning])
  }
  return [...alike.values()].map(([first, ...others]) => {
    const refs = [...new Set(others.flatMap(({ ref }) => ref ?? []))].filter((ref) => ref !== first.ref)
    if (refs.length === 0) return first
    const named = refs.slice(0, NAMED_REFS).join(', ')
    const more = refs.length > NAMED_REFS ? ', …' : ''
    const count = refs.length === 1 ? 'one more ref' : `${refs.length} more refs`
    return { ...first, message: `${first.message} The same at ${count}: ${named}${more}.` }
  })
}

/** Sorts rows, so that their order does not depend on what finished first. */
export function inPlaceOrder<T extends Place>(rows: readonly T[]): T[] {
  return [...rows].sort(
    (a, b) =>
      compare(a.repository, b.repository) ||
      compare(a.ref ?? '', b.ref ?? '') ||
      compare(a.path ?? '', b.path ?? ''),
  )
}
