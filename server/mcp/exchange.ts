import type { ClientInfo } from '../contract/advanced/principal.ts'
import type { CallContext, Log } from '../contract/context.ts'
import { UNATTENDED } from '../platform/background-call.ts'
import { labelledLog } from '../plugin-log.ts'
import { type Caller, clientInfoOf } from './caller.ts'
import type { Catalog } from './descriptors.ts'
import type { RawCall } from './raw-table.ts'

/** W3C trace context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** `modern` is 2026-07-28; `legacy` is 2024-11-05 to 2025-11-25. */
export type Era = 'modern' | 'legacy'

/** One request, as it came. */
export interface Asked {
  readonly era: Era
  /** The `_meta` of its parameters. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** The members of `_meta` that the protocol defines. */
  readonly envelope: unknown
  readonly signal: AbortSignal
  /** Absent for a call that is answered without the SDK. */
  readonly sdk?: RawCall | undefined
}

/** One request in a handler. */
export interface Exchange extends Asked {
  readonly catalog: Catalog
  readonly caller: Caller
  /** Resolves a path that callers of this door may use. Errors: `forbidden`/`path_refused`. */
  resolvePath(path: string): Promise<string>
}

/** Creates the context of a call; of a read, a prompt or a completion without progress and tasks. */
export function callContextOf(exchange: Exchange, { acceptsTask, progress } = UNATTENDED): CallContext {
  const { catalog, caller, signal, resolvePath } = exchange
  const { principal, localTransport } = caller
  const client = clientOf(exchange)
  const log = tracedLog(catalog.host.log, exchange.meta)
  const common = { principal, signal, log, door: 'mcp', resolvePath, acceptsTask, progress } as const
  if (localTransport === undefined && client === undefined) return common
  return {
    ...common,
    ...(localTransport && { localTransport }),
    ...(client && { client: { name: client.name, version: client.version } }),
  }
}

/** Returns what the client says of itself: in each request, or once for older clients. */
export function clientOf({ era, envelope, sdk }: Exchange): ClientInfo | undefined {
  return era === 'modern' ? clientInfoOf(envelope) : sdk?.server.getClientVersion()
}

/** Returns a log that adds the trace named in `_meta` to each line. */
function tracedLog(log: Log, meta: Readonly<Record<string, unknown>> | undefined): Log {
  const traceparent = meta?.['traceparent']
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return log
  return labelledLog(log, { traceparent })
}
