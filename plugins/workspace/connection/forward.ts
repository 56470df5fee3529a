import { randomUUID } from 'node:crypto'
import type { HttpRoute } from '../../../server/plugin.ts'
import { callOwner, type OwnerAddress, type ReplicaAddress } from './link.ts'
import { callReplica, REPLICA_LIMIT_MS } from './replica-link.ts'
import type { RoomCall } from './room-access.ts'

/** Makes the call at the process that owns the room. Errors: those of `callOwner`. */
export async function forward(
  address: OwnerAddress,
  token: string,
  call: Sent,
  signal: AbortSignal,
): Promise<unknown> {
  return callOwner(address, { ...requestOf(call), token, signal, inTurn: true })
}

/** Makes the call of a session at the server that owns the room. Errors: those of `callReplica`. */
export async function forwardToReplica(
  address: ReplicaAddress,
  session: string,
  call: Sent,
  signal: AbortSignal,
): Promise<unknown> {
  const { timeout_s = 0 } = call.input // of a call that waits
  const limitMs = REPLICA_LIMIT_MS + Number(timeout_s) * 1000
  return callReplica(address, { ...requestOf(call), session, signal, limitMs })
}

type Sent = Pick<RoomCall<unknown>, 'route' | 'input'>

function requestOf({ route, input }: Sent) {
  const { path, rest } = filledPath(route, input)
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE'
  return {
    method: route.method,
    path: takesBody ? path : path + queryOf(rest),
    ...(takesBody && { body: rest }),
  }
}

/** The call with an idempotency key, made where it has none: a mutation that is sent twice runs once. */
export function keyed<T>(call: RoomCall<T>): RoomCall<T> {
  if (call.route.method === 'GET' || call.input['idempotency_key'] !== undefined) return call
  return { ...call, input: { ...call.input, idempotency_key: `link-${randomUUID()}` } }
}

/** The idempotency key of a call, if it has one. */
export function keyOf({ input }: Pick<RoomCall<unknown>, 'input'>): string | undefined {
  const key = input['idempotency_key']
  return typeof key === 'string' ? key : undefined
}

function filledPath(route: HttpRoute, input: Readonly<Record<string, unknown>>) {
  const rest: Record<string, unknown> = { ...input }
  const path = route.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  return { path, rest }
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) query.set(name, String(value)) // null: absent, as in a body
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
