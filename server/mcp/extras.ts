import type { CallContext } from '../contract/context.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { refusals } from './refusals.ts'

/** Methods of 2026-07-28 that we serve beside the SDK, which refuses them or bounds nothing (mcp, section 5). */
export const EXTRA_METHODS: readonly string[] = [
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]

const VERSION = '2026-07-28'
const META = 'io.modelcontextprotocol/'

/** A request of one of these methods that is wholly right in its form. */
export interface ExtraRequest {
  readonly id: string | number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly envelope: Readonly<Record<string, unknown>>
}

/** The request, if every part of its form is right; the SDK answers all others, so that its checks exist once. */
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

/** What a `subscriptions/listen` asks for. */
export interface ListenFilter {
  readonly uris: readonly string[]
  /** Undefined: not asked for. */
  readonly taskIds: readonly string[] | undefined
}

/** The filter of the parameters; undefined when it is none. */
export function listenFilterOf(params: Readonly<Record<string, unknown>>): ListenFilter | undefined {
  const { notifications } = params
  if (!isJsonObject(notifications)) return undefined
  const uris = notifications['resourceSubscriptions'] ?? []
  const taskIds = notifications['taskIds']
  if (!isStringArray(uris) || (taskIds !== undefined && !isStringArray(taskIds))) return undefined
  return { uris: [...new Set(uris)], taskIds: taskIds && [...new Set(taskIds)] }
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

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}
