import { createHmac, timingSafeEqual } from 'node:crypto'
import { isJsonObject } from '../../../server/plugin.ts'

/** What the owner of a room and the other servers of its database share while it is the owner. */
export interface PassKey {
  readonly key: Buffer
  /** Of the owner: a pass for another one is none. */
  readonly fence: string
  /** The clock of the database, so that those of two machines may differ. */
  nowMs(): number
}

/** What a pass says. */
export interface Pass {
  /** The session of the caller for whom it is shown; absent: the server asks for itself. */
  readonly session?: string
}

/** The beginning of each pass, as a bearer. */
export const PASS_PREFIX = 'rep_'
/** A pass is made for one request. */
const PASS_MS = 30_000
const SIGNED_AS = 'satchel room pass 1'

/** A bearer with which a server of the database speaks at the owner of a room: for one session, or for itself. */
export function newPass({ key, fence, nowMs }: PassKey, session?: string): string {
  const claims = { fence, until: Math.floor(nowMs()) + PASS_MS, ...(session !== undefined && { session }) }
  const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${PASS_PREFIX}${body}.${signature(key, body).toString('base64url')}`
}

/** Undefined unless it was made with this key for this owner, and counts still. */
export function passIn({ key, fence, nowMs }: PassKey, bearer: string): Pass | undefined {
  const [, body, signed] = /^rep_([\w-]{1,1024})\.([\w-]{43})$/.exec(bearer) ?? []
  if (body === undefined || signed === undefined) return undefined
  if (!timingSafeEqual(signature(key, body), Buffer.from(signed, 'base64url'))) return undefined
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
  if (!isJsonObject(claims) || claims['fence'] !== fence) return undefined
  const { until, session } = claims
  // One from further ahead than a pass lasts was made by another clock.
  if (typeof until !== 'number' || Math.abs(until - PASS_MS / 2 - nowMs()) > PASS_MS) return undefined
  if (until < nowMs()) return undefined
  return typeof session === 'string' ? { session } : {}
}

function signature(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(`${SIGNED_AS}\n${body}`).digest()
}
