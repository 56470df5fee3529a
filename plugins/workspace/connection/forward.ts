import { randomUUID } from 'node:crypto'
import type { HttpRoute } from '../../../server/plugin.ts'
import { callOwner, type OwnerAddress } from './link.ts'
import type { RoomCall } from './room-access.ts'

/** Makes the call at the process that owns the room. Errors: those of `callOwner`. */
export async function forward(
  address: OwnerAddress,
  token: string,
  { route, input }: Pick<RoomCall<unknown>, 'route' | 'input'>,
  signal: AbortSignal,
): Promise<unknown> {
  const { path, rest } = filledPath(route, input)
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE'
  return callOwner(address, {
    method: route.method,
    path: takesBody ? path : path + queryOf(rest),
    token,
    signal,
    inTurn: true,
    ...(takesBody && { body: rest }),
  })
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
    if (value !== undefined) query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
