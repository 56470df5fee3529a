import { ProtocolError } from '@modelcontextprotocol/server'
import { limited } from '../call.ts'
import type { CallContext } from '../contract/context.ts'
import { isSatchelError, type SatchelError } from '../contract/errors.ts'
import type { Catalog } from './descriptors.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import { refusals } from './refusals.ts'
import { findReadable } from './resources.ts'

/** Maximum number of URIs that one principal or session watches (mcp, section 5). */
export const MAX_WATCHED_URIS = 256

/** The resources that one caller watches. Its owner calls `close` when the caller disconnects. */
export interface Watch {
  /** Idempotent. Errors: those of `requireSubscribable`; `rate_limited`/`subscription_limit`. */
  subscribe(catalog: Catalog, ctx: CallContext, uri: string): Promise<void>
  /** Idempotent. */
  unsubscribe(uri: string): Promise<void>
  readonly uris: readonly string[]
  close(): void
}

/** Creates an empty watch; `changed` is called for each durable change of a watched URI. */
export function createWatch(changed: (uri: string) => void): Watch {
  const listening = new Map<string, () => void>()
  return {
    async subscribe(catalog, ctx, uri) {
      await requireSubscribable(catalog, ctx, uri)
      if (listening.has(uri)) return
      if (listening.size >= MAX_WATCHED_URIS) throw tooManyUris()
      const stop = catalog.host.hub.on(uri, () => changed(uri))
      listening.set(uri, stop)
    },
    async unsubscribe(uri) {
      listening.get(uri)?.()
      listening.delete(uri)
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
 * Requires a resource that exists, that this caller may read and that supports subscriptions.
 * Errors: the same -32602 for unknown, foreign, oversized and unsubscribable resources, and for one that takes too long.
 */
export async function requireSubscribable(catalog: Catalog, ctx: CallContext, uri: string): Promise<void> {
  const { raw } = catalog
  if (raw?.watch ? await raw.watch(uri) : raw?.resources.some((resource) => resource.read(uri))) return
  try {
    const { resource, variables, ctx: own } = await findReadable(catalog, ctx, uri)
    if (resource.subscribable) {
      // Only a URI of a template may not exist.
      if (Object.keys(variables).length > 0)
        await limited({ resource: resource.uri }, own, catalog.host.limits, async (inTime) =>
          resource.read(inTime, uri, variables),
        )
      return
    }
  } catch (thrown) {
    if (!isSatchelError(thrown) && !ProtocolError.isInstance(thrown)) throw thrown
  }
  throw new UnsubscribableError()
}

/** The refusal of a subscription, the same for unknown and unsubscribable resources. */
export class UnsubscribableError extends ProtocolError {
  constructor() {
    super(INVALID_PARAMS, 'Unknown or unsubscribable resource')
  }
}

/** Creates the refusal above the maximum number of URIs. */
export function tooManyUris(): SatchelError {
  return refusals.watched_limit({ count: MAX_WATCHED_URIS })
}
