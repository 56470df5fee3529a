import { cursorOf, numberIn, questionName } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

interface PageRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

export interface Page<T> {
  readonly rows: readonly T[]
  /** Spread into the answer: names the start of the next page, if there is one. */
  readonly more: {
    readonly truncated?: {
      readonly reason: string
      readonly next: { readonly tool: string; readonly args: Record<string, unknown> }
    }
  }
}

/** One page of a list, and the call that gives the next. Errors: `invalid`/`options_invalid` for a foreign cursor. */
export function pageOf<T>(rows: readonly T[], request: PageRequest, tool: string): Page<T> {
  const from = parseCursor(request.cursor, tool)
  const to = from + request.limit
  if (to >= rows.length) return { rows: rows.slice(from), more: {} }
  const args = { ...request, cursor: cursorAt(to, tool) }
  return { rows: rows.slice(from, to), more: { truncated: { reason: 'limit', next: { tool, args } } } }
}

/** The row behind the last of a page. Errors: `invalid`/`options_invalid` for a foreign cursor. */
export function endOf({ cursor, limit }: PageRequest, tool: string): number {
  return parseCursor(cursor, tool) + limit
}

/** The cursor of the page of `tool` that begins at row `from`. */
export function cursorAt(from: number, tool: string): string {
  return cursorOf(questionName({ tool }), [from])
}

/** Where the page of a cursor begins. Errors: `invalid`/`options_invalid` for the cursor of another list. */
export function parseCursor(cursor: string | undefined, tool: string): number {
  if (cursor === undefined) return 0
  const from = numberIn(cursor, questionName({ tool }))
  if (from !== undefined) return from
  throw refusals.cursor_refused()
}
