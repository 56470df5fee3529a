import { ProtocolError } from '@modelcontextprotocol/server'
import { isSatchelError } from '../contract/errors.ts'
import { ERROR_TABLE } from '../error-table.ts'
import { inSpan, type Settled, type SpanEnd } from '../traces.ts'
import type { Exchange } from './exchange.ts'
import type { WireResult } from './raw-table.ts'

/** Runs a request in a span of its own, whose parent is the trace that the client named in `_meta` (SEP-414). */
export function inRequestSpan<T extends WireResult>(
  { catalog, meta, era }: Exchange,
  method: string,
  work: () => Promise<T>,
): Promise<T> {
  const { traceparent, tracestate } = meta ?? {}
  return inSpan(
    catalog.host.traces,
    () => ({
      name: method,
      kind: 'server',
      attributes: { 'mcp.method.name': method, 'satchel.era': era },
      from: { traceparent, tracestate },
    }),
    work,
    endOf,
  )
}

function endOf(settled: Settled<WireResult>): SpanEnd {
  if (settled.kind === 'answered')
    return { attributes: { 'satchel.is_error': settled.value['isError'] === true } }
  const { thrown } = settled
  if (ProtocolError.isInstance(thrown))
    return { attributes: { 'rpc.response.status_code': String(thrown.code) } }
  const code = isSatchelError(thrown) ? thrown.code : 'internal'
  return {
    attributes: { 'satchel.outcome': code },
    error: ERROR_TABLE[code].http >= 500 ? code : undefined,
  }
}
