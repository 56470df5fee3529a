import { ProtocolError } from '@modelcontextprotocol/server'
import { cursorOf, numberIn } from '../platform/page-cursor.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'

const PAGE_SIZE = 100 // mcp, section 3
const QUESTION = 'list'

/** Returns one page of a list. Errors: -32602 for an unknown cursor. */
export function pageOf<T>(
  all: readonly T[],
  cursor: string | undefined,
): { readonly page: readonly T[]; readonly nextCursor?: string } {
  const from = cursor === undefined ? 0 : numberIn(cursor, QUESTION)
  if (from === undefined) throw new ProtocolError(INVALID_PARAMS, 'Invalid cursor')
  const to = from + PAGE_SIZE
  return {
    page: all.slice(from, to),
    ...(to < all.length && { nextCursor: cursorOf(QUESTION, [to]) }),
  }
}
