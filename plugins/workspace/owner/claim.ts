import type { Route } from '../../../server/plugin.ts'
import { cookieName } from '../connection/credentials.ts'
import { createRate } from '../connection/rate.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { parseCapabilities } from '../domain/capability.ts'
import { sameDigest, sha256 } from '../domain/fingerprint.ts'
import type { RandomBytes } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'
import { refusals } from '../reasons.ts'
import type { Change } from '../room/change.ts'
import { joinLocally } from '../room/members.ts'
import { json, jsonBody, textField } from '../routes/json-route.ts'

/** Single-use keys for the owner page; kept in memory, as SHA-256. */
export interface Claims {
  /** A new key, valid for 10 minutes. */
  issue(): string
  /** True once for each key, while it is valid. */
  redeem(key: string): boolean
}

const KEY_BYTES = 32
const CLAIM_MS = LIMITS.claimMinutes * 60_000

/** Starts without keys. */
export function createClaims(random: RandomBytes, elapsedMs = () => performance.now()): Claims {
  const open = new Map<string, number>()
  return {
    issue() {
      const key = Buffer.from(random(KEY_BYTES)).toString('base64url')
      open.set(sha256(key), elapsedMs() + CLAIM_MS)
      return key
    },
    redeem(key) {
      const digest = sha256(key)
      const found = [...open].find(([known]) => sameDigest(known, digest))
      if (!found) return false
      open.delete(found[0])
      return elapsedMs() <= found[1]
    },
  }
}

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
