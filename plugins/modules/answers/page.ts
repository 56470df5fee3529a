import { refusals } from '../reasons.ts'

interface PageRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

export interface Page<T> {
  readonly rows: readonly T[]
  /** Spread into the answer: says where the next page begins, if there is one. */
  readonly more: {
    readonly truncated?: {
      readonly reason: string
      readonly next: { readonly tool: string; readonly args: Record<string, unknown> }
    }
  }
}

/** One page of a list, and the call that gives the next. Errors: `invalid`/`options_invalid` for a foreign cursor. */
export function pageOf<T>(rows: readonly T[], request: PageRequest, tool: string): Page<T> {
  const from = parseCursor(request.cursor)
  const to = from + request.limit
  if (to >= rows.length) return { rows: rows.slice(from), more: {} }
  const args = { ...request, cursor: String(to) }
  return { rows: rows.slice(from, to), more: { truncated: { reason: 'limit', next: { tool, args } } } }
}

/** A cursor is the number of rows already given. */
export function parseCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,9}$/.test(cursor)) throw refusals.cursor_refused()
  return Number(cursor)
}
