import type { Route } from '../../../server/plugin.ts'
import type { Claims } from '../connection/claims.ts'
import { cookieName } from '../connection/credentials.ts'
import { createRate } from '../connection/rate.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { parseCapabilities } from '../domain/capability.ts'
import { LIMITS } from '../domain/limits.ts'
import { refusals } from '../reasons.ts'
import type { Change } from '../room/change.ts'
import { joinLocally } from '../room/members.ts'
import { json, jsonBody, textField } from '../routes/json-route.ts'

const COOKIE_SECONDS = LIMITS.sessionMinutes * 60

/**
 * `POST /owner/claim`: exchanges the key of the printed link for the owner's session, in a cookie. Only a POST from our
 * own page sets it: any local process could make a browser take a cookie from a GET.
 */
export function claimRoute(connection: RoomConnection, claims: Claims): Route {
  const rate = createRate(LIMITS.joinsPerMinute)
  return {
    method: 'POST',
    path: '/owner/claim',
    listeners: ['owner'],
    guard: 'open',
    maxBodyBytes: 1024,
    async handle(ctx, request) {
      requireOwnPage(request)
      rate.count(ctx.peer)
      const key = textField(await jsonBody(request), 'key')
      const { room } = await connection.owner('listener')
      if (!claims.redeem(key)) throw refusals.owner_link_used()
      const joined = await room.changeAsSystem(ownerJoin)
      const { token, ...shown } = joined
      const name = cookieName(joined.workspace_id)
      const cookie = `${name}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${COOKIE_SECONDS}`
      return json(shown, { 'set-cookie': cookie })
    },
  }
}

function ownerJoin(change: Change) {
  return joinLocally(change, {
    name: 'owner',
    kind: 'human',
    capabilities: parseCapabilities(['*']),
    audience: 'owner',
    transport: 'browser',
  })
}

function requireOwnPage(request: Request): void {
  const { headers } = request
  const site = headers.get('sec-fetch-site')
  const isOurs =
    headers.get('origin')?.toLowerCase() === `http://${headers.get('host')?.toLowerCase()}` &&
    (site === null || site === 'same-origin') &&
    headers.get('x-satchel-request') === '1'
  if (isOurs) return
  throw refusals.origin_not_allowed()
}
