import { cursorOf, numberIn } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { inRange } from '../domain/refusal.ts'
import type { Params, Row, Rows } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import { stored } from './tables.ts'

/** What every list takes. */
export interface PageInput {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A part of a list. */
export interface Page<T> {
  readonly rows: readonly T[]
  /** Give it back as `cursor` for what follows; absent at the end. */
  readonly next_cursor?: string
}

const DEFAULT_ROWS = 50

/** How many rows were asked for. Errors: `invalid`/`limit_exceeded` above 200. */
export function rowLimit(asked: number | undefined): number {
  return inRange(asked ?? DEFAULT_ROWS, 'limit', LIMITS.listRows)
}

/** One page of a listing statement, newest first. */
export function page<T>(rows: Rows, statement: string, input: PageInput, params: Params = {}): Page<T> {
  const before = startOf(input.cursor, statement) ?? Number.MAX_SAFE_INTEGER
  return pageOf(input, statement, (limit) => rows.all(statement, { ...params, before, limit }))
}

/** One page of a listing statement, oldest first. */
export function pageInOrder<T>(
  rows: Rows,
  statement: string,
  input: PageInput,
  params: Params = {},
): Page<T> {
  const after = startOf(input.cursor, statement) ?? 0
  return pageOf(input, statement, (limit) => rows.all(statement, { ...params, after, limit }))
}

function pageOf<T>(input: PageInput, statement: string, find: (limit: number) => readonly Row[]): Page<T> {
  const limit = rowLimit(input.limit)
  const found = find(limit + 1)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown.map((row) => stored<T>(row)),
    ...(found.length > limit && last && { next_cursor: cursorOf(statement, [Number(last['n'])]) }),
  }
}

/**
 * The `n` of the last row before the page of this cursor; undefined for the first page.
 * Errors: `invalid`/`invalid_request` for the cursor of another list.
 */
export function startOf(cursor: string | undefined, statement: string): number | undefined {
  if (cursor === undefined) return undefined
  const last = numberIn(cursor, statement)
  if (last === undefined) throw refusals.page_cursor()
  return last
}
