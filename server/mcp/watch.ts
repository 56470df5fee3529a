import { ProtocolError } from '@modelcontextprotocol/server'
import { isSatchelError } from '../contract/errors.ts'
import type { Hub } from '../hub.ts'
import type { Exchange } from './exchange.ts'
import { INVALID_PARAMS, REFUSED } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'
import { findReadable } from './resources.ts'

/** Most URIs one principal or session may watch (mcp, section 5). */
export const MAX_WATCHED_URIS = 256

/** The resources one connection of an older client watches. Its owner calls `close` when the connection ends. */
export interface Watch {
  subscribe(exchange: Exchange, uri: string): Promise<WireResult>
  unsubscribe(uri: string): WireResult
  readonly uris: readonly string[]
  close(): void
}

/** An empty watch; `changed` is told each change of a watched URI, after it is durable. */
export function createWatch(changed: (uri: string) => void): Watch {
  const listening = new Map<string, () => void>()
  const listen = (hub: Hub, uri: string): void => {
    if (listening.has(uri)) return
    if (listening.size >= MAX_WATCHED_URIS) throw tooManyUris()
    listening.set(
      uri,
      hub.on(uri, () => changed(uri)),
    )
  }
  return {
    async subscribe(exchange, uri) {
      await requireSubscribable(exchange, uri)
      listen(exchange.catalog.host.hub, uri)
      return {}
    },
    unsubscribe(uri) {
      listening.get(uri)?.()
      listening.delete(uri)
      return {}
    },
    get uris() {
      return [...listening.keys()]
    },
    close() {
      for (const stop of listening.values()) stop()
      listening.clear()
    },
  }
}

/**
 * Passes for a resource that exists, that this caller may read and that tells its changes.
 * Errors: -32602, one and the same for unknown, foreign, oversized and not subscribable.
 */
export async function requireSubscribable(exchange: Exchange, uri: string): Promise<void> {
  if (exchange.catalog.raw?.resources.some((raw) => raw.read(uri))) return
  try {
    const { resource, ctx, variables } = await findReadable(exchange, uri)
    if (resource.subscribable) {
      if (Object.keys(variables).length > 0) await resource.read(ctx, uri, variables)
      return
    }
  } catch (thrown) {
    if (!isSatchelError(thrown) && !ProtocolError.isInstance(thrown)) throw thrown
  }
  throw unsubscribable()
}

/** The one refusal of a subscription. */
export function unsubscribable(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'Unknown or unsubscribable resource')
}

/** One more than a principal may watch. */
export function tooManyUris(): ProtocolError {
  return new ProtocolError(REFUSED, `At most ${MAX_WATCHED_URIS} resources can be watched at once.`, {
    code: 'rate_limited',
    reason: 'subscription_limit',
  })
}
