import { ProtocolError } from '@modelcontextprotocol/server'
import { INVALID_PARAMS } from './protocol-errors.ts'

const PAGE_SIZE = 100 // mcp, section 3

/** One page of a list. Errors: -32602 for a cursor that was not made here. */
export function pageOf<T>(
  all: readonly T[],
  cursor: string | undefined,
): { readonly page: readonly T[]; readonly nextCursor?: string } {
  const from = cursor === undefined ? 0 : offsetOf(cursor)
  if (from === undefined) throw new ProtocolError(INVALID_PARAMS, 'Invalid cursor')
  const to = from + PAGE_SIZE
  return {
    page: all.slice(from, to),
    ...(to < all.length && { nextCursor: Buffer.from(`after:${to}`).toString('base64url') }),
  }
}

function offsetOf(cursor: string): number | undefined {
  const found = /^after:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())
  return found ? Number(found[1]) : undefined
}
