import { type Host, isSatchelError, isSecureAddress, type RemoteMcp } from '../../server/plugin.ts'
import { redeemAt, ticketOf } from './commands/joining.ts'
import { renewSession, type SavedSession, savedSessionsAt, saveSession } from './commands/target.ts'
import type { WorkspaceConfig } from './config.ts'
import { requireSameProtocol } from './connection/attachment.ts'
import { callOwner, LinkLost } from './connection/link.ts'
import { nameOfClient } from './connection/local-session.ts'
import { sha256 } from './domain/fingerprint.ts'
import type { JoinTicket } from './domain/invitation.ts'
import { LIMITS } from './domain/limits.ts'
import { ROOM_URI } from './hints.ts'
import { refusals } from './reasons.ts'
import { WAIT_SECONDS, WAIT_TURN_SECONDS } from './room/wait.ts'

/**
 * The room of `workspace.connect` or of an invitation, offered over stdio; undefined when neither is configured.
 * It is not contacted before the first request.
 * Errors: `invalid`/`invalid_request` for a malformed invitation, or an address that would send a secret unencrypted.
 */
export function remoteRoom(host: Host, config: WorkspaceConfig): RemoteMcp | undefined {
  const { connect, invite } = config
  if (connect === undefined && invite === undefined) return undefined
  const ticket = invite === undefined ? undefined : ticketOf(invite)
  const address = connect ?? ticket?.endpoints.find(isSecureAddress)
  if (address === undefined || !isSecureAddress(address)) throw refusals.room_address()
  const { origin, pathname } = new URL(address)
  let asked = false
  let given: string | undefined
  return {
    url: pathname === '/' ? `${origin}/mcp` : address,
    toolPrefix: 'workspace_',
    keyField: 'idempotency_key',
    waitingTool: WAIT,
    uriPrefixes: [`${ROOM_URI}/`, 'skill://satchel/'],
    prompts: ['join-room', 'propose-change'],
    errors: {
      lost: (cause) => refusals.remote_lost({ cause }),
      sessionEnded: () => refusals.session_expired(),
      mismatch: () => refusals.not_a_room(),
    },
    async bearer(client) {
      const name = config.name ?? nameOfClient(client)
      const saved = await savedFor(host, { origin, name, mayShare: ticket === undefined })
      if (!asked) await requireRoom(origin, saved?.token)
      asked = true
      // The same token asked for again means that the room refused it; another process may have stored the next one.
      if (saved && saved.token !== given) {
        given = saved.token
        return given
      }
      given = saved && (await renew(host, saved, ticket))
      if (given === undefined && ticket) given = await redeem(host, { ...ticket, endpoints: [origin] }, name)
      if (given !== undefined) return given
      throw saved ? refusals.session_expired() : refusals.session_not_stored()
    },
  }
}

interface Wanted {
  readonly origin: string
  /** Of the client. */
  readonly name: string
  /** Without an invitation of its own a client may use the session that `satchel workspace join` stored. */
  readonly mayShare: boolean
}

/** Over a link `workspace_wait` waits as at a local door. */
const WAIT = {
  name: 'workspace_wait',
  secondsField: 'timeout_s',
  defaultSeconds: WAIT_SECONDS,
  maxSeconds: LIMITS.waitSeconds,
  turnSeconds: WAIT_TURN_SECONDS,
  doneField: 'happened',
} as const

/** The session of this client, so that each client keeps its own name. */
async function savedFor(host: Host, { origin, name, mayShare }: Wanted): Promise<SavedSession | undefined> {
  const saved = await savedSessionsAt(host, origin)
  const own = saved.find(({ client }) => client === name)
  return own ?? (mayShare ? saved.find(({ client }) => client === undefined) : undefined)
}

/**
 * A new token for a session that ran out; undefined if the room does not know the old one, or another invitation may
 * begin a session. Errors: `unauthorized`/`session_expired` for a session that was revoked or left: its own invitation
 * begins no other one.
 */
async function renew(
  host: Host,
  saved: SavedSession,
  ticket: JoinTicket | undefined,
): Promise<string | undefined> {
  try {
    return await renewSession(host, saved)
  } catch (thrown) {
    if (thrown instanceof LinkLost || !isSatchelError(thrown)) throw thrown
    const isOwnInvitation = ticket !== undefined && saved.invited_by === sha256(ticket.secret)
    if (thrown.reason === 'session_expired' && (ticket === undefined || isOwnInvitation)) throw thrown
    return undefined
  }
}

async function redeem(host: Host, ticket: JoinTicket, name: string): Promise<string> {
  const { url, joined } = await redeemAt(ticket, { invite: ticket.secret, name, kind: 'agent' })
  await saveSession(host, { ...joined, url, client: name, invited_by: sha256(ticket.secret) })
  return joined.token
}

/**
 * Returns when the room speaks our protocol. `token`: of the session stored for it, because a server on another machine
 * answers no one else. Errors: `unavailable`/`protocol_mismatch`, `unavailable`/`transport_unavailable`.
 */
async function requireRoom(origin: string, token: string | undefined): Promise<void> {
  const call = { method: 'GET', path: '/protocol', ...(token !== undefined && { token }) } as const
  try {
    requireSameProtocol({ protocol: await callOwner({ url: origin }, call) })
  } catch (thrown) {
    if (thrown instanceof LinkLost)
      throw refusals.transport_unavailable({ address: origin }, { cause: thrown })
    if (!isSatchelError(thrown)) throw thrown
    // A refused session is reported when it is used; a server without this route is not a room.
    if (thrown.code === 'not_found') requireSameProtocol(undefined)
    if (thrown.code !== 'unauthorized') throw thrown
  }
}
