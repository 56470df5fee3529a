import type { IncomingMessage } from 'node:http'
import type { Route, RouteContext } from '../../../server/plugin.ts'
import { bytesOf, type ReplicaAddress } from '../connection/link.ts'
import { createRate } from '../connection/rate.ts'
import { callReplica, openReplica, type ReplicaCall } from '../connection/replica-link.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { LIMITS } from '../domain/limits.ts'
import { json, jsonBodied, sessionOfRequest } from './json-route.ts'

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

/**
 * The answer of the server that owns the room to a caller without a session; undefined if no other server has it. It is asked
 * once: what it did is not done again.
 */
export async function atOtherServer(
  connection: RoomConnection,
  { principal, signal }: RouteContext,
  call: ReplicaCall,
): Promise<Response | undefined> {
  const run = (address: ReplicaAddress) => callReplica(address, { ...call, signal })
  const found = await connection.elsewhere(principal, { run, once: true })
  return found && json(found.value)
}

/** Counts the joins of a peer; another server counted its own peers. */
export function createPeerRate({ replicaCallers }: RoomConnection): (ctx: RouteContext) => void {
  const rate = createRate(LIMITS.joinsPerMinute)
  return ({ credentials, principal, peer }) => {
    if (credentials.transport !== 'socket' && !replicaCallers.isPassedOn(principal)) rate.count(peer)
  }
}

/** The bytes as the owner sent them. */
function answerOf(answer: IncomingMessage): Response {
  return jsonBodied(ReadableStream.from(bytesOf(answer)))
}
