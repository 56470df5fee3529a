import type { IncomingMessage } from 'node:http'
import type { Route, RouteContext } from '../../../server/plugin.ts'
import { bytesOf, type ReplicaAddress } from '../connection/link.ts'
import { createRate } from '../connection/rate.ts'
import { callReplica, openReplica, type ReplicaCall } from '../connection/replica-link.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Change } from '../room/change.ts'
import { GUEST_LISTENERS } from '../tools/room-tool.ts'
import { json, jsonBodied, jsonBody, sessionOfRequest } from './json-route.ts'

/**
 * A route of the room that another server answers while it owns the room. What this server can refuse by itself it refuses
 * before: the guard of the route, and the size of its body.
 */
export function passedOn(connection: RoomConnection, route: Route): Route {
  const isRead = route.method === 'GET'
  return {
    ...route,
    async handle(ctx, request) {
      const { principal, signal, credentials } = ctx
      const session = sessionOfRequest(ctx)
      // The page and the socket of an owner are of its own machine.
      if (credentials.listener === 'owner' || credentials.transport === 'socket')
        return route.handle(ctx, request)
      const body = isRead ? undefined : await request.clone().text()
      const run = async (address: ReplicaAddress): Promise<Response> => {
        const path = new URL(request.url).pathname
        const call: ReplicaCall = { method: route.method, path, signal, session, text: body }
        return answerOf(await openReplica(address, call))
      }
      const found = await connection.elsewhere(principal, isRead ? { run } : { run, once: true })
      return found?.value ?? route.handle(ctx, request)
    },
  }
}

/** A route for callers without a session. */
interface GuestRoute extends Pick<Route, 'path' | 'maxBodyBytes' | 'document'> {
  /** What the body asks for, and the same as another server is asked for it. Errors: those of the body. */
  read(body: Readonly<Record<string, unknown>>): {
    readonly sent: object
    act(change: Change): object
  }
}

/** What a guest sends is done here, or by the server that has the room. */
export function guestRoute(connection: RoomConnection, { read, ...route }: GuestRoute): Route {
  const count = createPeerRate(connection)
  return {
    ...route,
    method: 'POST',
    listeners: GUEST_LISTENERS,
    guard: 'open',
    async handle(ctx, request) {
      count(ctx)
      const { sent, act } = read(await jsonBody(request))
      const there = await atOtherServer(connection, ctx, { method: 'POST', path: route.path, body: sent })
      if (there) return there
      const { room } = await connection.owner('listener')
      return json(await room.changeAsSystem(act))
    },
  }
}

/**
 * The answer of the server that owns the room to a caller without a session; undefined if no other server has it. It is asked
 * once: what it did is not done again.
 */
async function atOtherServer(
  connection: RoomConnection,
  { principal, signal }: RouteContext,
  call: ReplicaCall,
): Promise<Response | undefined> {
  const run = (address: ReplicaAddress) => callReplica(address, { ...call, signal })
  const found = await connection.elsewhere(principal, { run, once: true })
  return found && json(found.value)
}

/** Counts the joins of a peer; another server counted its own peers. */
function createPeerRate({ replicaCallers }: RoomConnection): (ctx: RouteContext) => void {
  const rate = createRate(LIMITS.joinsPerMinute)
  return ({ credentials, principal, peer }) => {
    if (credentials.transport !== 'socket' && !replicaCallers.isPassedOn(principal)) rate.count(peer)
  }
}

/** The bytes as the owner sent them. */
function answerOf(answer: IncomingMessage): Response {
  return jsonBodied(ReadableStream.from(bytesOf(answer)))
}
