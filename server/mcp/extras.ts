import type { CallContext } from '../contract/context.ts'
import { backgroundCall } from '../platform/background-call.ts'
import { isJsonObject, isTextList } from '../platform/json-object.ts'
import { clientInfoOf } from './caller.ts'
import type { Catalog } from './descriptors.ts'
import type { Door } from './door.ts'
import { refusals } from './refusals.ts'
import { serverInfoMeta } from './server.ts'
import type { Watch } from './watch.ts'

/** Methods of 2026-07-28 that we implement because the SDK refuses them or sets no limits (mcp, section 5). */
export const EXTRA_METHODS: readonly string[] = [
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]

const VERSION = '2026-07-28'
const META = 'io.modelcontextprotocol/'

/** A well-formed request of one of these methods. */
export interface ExtraRequest {
  readonly id: string | number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly envelope: Readonly<Record<string, unknown>>
}

/** Parses a well-formed request; undefined for all others, which the SDK refuses with its own checks. */
export function extraRequestOf(message: unknown): ExtraRequest | undefined {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0') return undefined
  const { id, method, params } = message
  if (typeof id !== 'string' && typeof id !== 'number') return undefined
  if (typeof method !== 'string' || !EXTRA_METHODS.includes(method) || !isJsonObject(params)) return undefined
  const envelope = params['_meta']
  if (!isJsonObject(envelope) || envelope[`${META}protocolVersion`] !== VERSION) return undefined
  if (!isJsonObject(envelope[`${META}clientCapabilities`])) return undefined
  return { id, method, params, envelope }
}

/** The filter of a `subscriptions/listen`. */
export interface ListenFilter {
  readonly uris: readonly string[]
  /** Undefined: not requested. */
  readonly taskIds: readonly string[] | undefined
}

/** Parses the filter of the parameters; undefined if it is malformed. */
export function listenFilterOf(params: Readonly<Record<string, unknown>>): ListenFilter | undefined {
  const { notifications } = params
  if (!isJsonObject(notifications)) return undefined
  const uris = notifications['resourceSubscriptions'] ?? []
  const taskIds = notifications['taskIds']
  if (!isTextList(uris) || (taskIds !== undefined && !isTextList(taskIds))) return undefined
  return { uris: [...new Set(uris)], taskIds: taskIds && [...new Set(taskIds)] }
}

/** The call with which such a request is checked; a stream that no request opened has no client. */
export function extraContext(
  { log, resolvePath }: Door,
  caller: Pick<CallContext, 'principal' | 'signal' | 'localTransport'>,
  request?: ExtraRequest,
): CallContext {
  const client = request && clientInfoOf(request.envelope)
  return backgroundCall({ ...caller, log, door: 'mcp', ...(client && { client }), resolvePath })
}

/** Begins or ends the watch of a resource and gives the answer. Errors: those of `requireRead` and `Watch.subscribe`. */
export async function watched(
  watch: Watch,
  { door, catalog, ctx }: { readonly door: Door; readonly catalog: Catalog; readonly ctx: CallContext },
  { id, method, params }: ExtraRequest,
): Promise<object> {
  requireRead(ctx)
  const uri = typeof params['uri'] === 'string' ? params['uri'] : ''
  if (method === 'resources/subscribe') await watch.subscribe(catalog, ctx, uri)
  else await watch.unsubscribe(uri)
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: serverInfoMeta(door) } }
}

/**
 * Refuses a session without the capability `read`.
 * Errors: `forbidden`/`permission_denied`.
 */
export function requireRead({ principal }: CallContext): void {
  const { kind, capabilities } = principal
  if (kind !== 'session' || capabilities.includes('read') || capabilities.includes('admin')) return
  throw refusals.permission_denied()
}
