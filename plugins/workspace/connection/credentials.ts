import { CAPABILITIES, type Capability, type Credentials, type Principal } from '../../../server/plugin.ts'
import { sameDigest, sha256 } from '../domain/fingerprint.ts'
import type { Moment } from '../domain/moment.ts'
import type { Rows } from '../domain/rows.ts'
import { type Audience, isLive, LOOKING, principalId, type Session } from '../domain/session.ts'
import { refusals } from '../reasons.ts'
import { workspaceRow } from '../room/change.ts'
import { stored } from '../room/tables.ts'
import type { Owner } from './owner.ts'
import { PASS_PREFIX } from './replica-pass.ts'

/** The principal of a session, as the host knows it. */
export function principalOf(session: {
  readonly session_id: string
  readonly capabilities: readonly Capability[]
}): Principal {
  const { session_id, capabilities } = session
  return { id: principalId(session_id), kind: 'session', plugin: 'workspace', capabilities }
}

/** True if these credentials can belong to a room: a `ses_` bearer, or a cookie at the owner port. */
export function mayBeOurs({ bearer, cookie, listener }: Credentials): boolean {
  return (
    bearer?.startsWith('ses_') === true ||
    bearer?.startsWith(PASS_PREFIX) === true ||
    (bearer === undefined && cookie !== undefined && listener === 'owner')
  )
}

/**
 * The principal behind a bearer or the owner page's cookie; undefined for an unknown or foreign one.
 * Errors: `unauthorized`/`session_expired` for a bearer whose session has ended; `conflict`/`other_room` where the page of
 * the caller shows another room, which was served at this address before; `invalid`/`bad_request` for two cookies of its name.
 */
export async function authenticateAt(owner: Owner, credentials: Credentials): Promise<Principal | undefined> {
  const { bearer, cookie, listener, expects } = credentials
  if (bearer === LOOKING.token && listener === 'socket')
    return principalOf({ ...LOOKING, capabilities: CAPABILITIES })
  const found = await owner.room.readAsSystem((rows, now) => {
    const { workspace_id } = workspaceRow(rows)
    if (expects !== undefined && expects !== workspace_id) throw refusals.other_room()
    const token = bearer ?? cookieValue(cookie ?? '', cookieName(workspace_id))
    return sessionIn(rows, now, sha256(token ?? ''))
  })
  if (!found || !accepts(listener, found.session.audience)) return undefined
  if (!found.live) {
    if (bearer === undefined) return undefined // the page is served without a valid cookie too
    throw refusals.session_expired()
  }
  owner.touch(found.session.session_id)
  return principalOf(found.session)
}

/** The session whose token has this hash, for a server that was shown the token. Errors: as for a bearer. */
export async function sessionOfHash(owner: Owner, token_hash: string): Promise<Session | undefined> {
  const found = await owner.room.readAsSystem((rows, now) => sessionIn(rows, now, token_hash))
  if (!found || !accepts(undefined, found.session.audience)) return undefined
  if (!found.live) throw refusals.session_expired()
  owner.touch(found.session.session_id)
  return found.session
}

function sessionIn(rows: Rows, now: Moment, token_hash: string) {
  const row = rows.one('session_by_token', { token_hash })
  const session = row && stored<Session>(row)
  if (!session || !sameDigest(session.token_hash, token_hash)) return undefined
  return { session, live: isLive(session, now) }
}

/** Sessions of the owner page work at the owner port only; all others work at every listener. */
function accepts(listener: string | undefined, audience: Audience): boolean {
  return audience !== 'owner' || listener === 'owner'
}

/** `satchel_<8 hex of the room's id>`, because all ports of a host share their cookies. */
export function cookieName(workspaceId: string): string {
  return `satchel_${workspaceId.slice('ws_'.length, 'ws_'.length + 8)}`
}

/** A page of another port may have set the second one for a path, which browsers send first. */
function cookieValue(header: string, name: string): string | undefined {
  const pairs = header.split(';').map((part) => part.trim().split('='))
  const [found, second] = pairs.filter(([key]) => key === name)
  if (second) throw refusals.cookie_repeated({ name })
  return found?.[1]
}
