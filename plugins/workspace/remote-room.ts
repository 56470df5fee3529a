import { type Host, isSatchelError, type RemoteMcp } from '../../server/plugin.ts'
import { isSafeEndpoint, redeemAt, ticketOf } from './commands/joining.ts'
import { savedSessionAt, saveSession } from './commands/target.ts'
import type { WorkspaceConfig } from './config.ts'
import { requireSameProtocol } from './connection/attachment.ts'
import { callOwner, LinkLost } from './connection/link.ts'
import type { JoinTicket } from './domain/invitation.ts'
import { ROOM_URI } from './hints.ts'
import { refusals } from './reasons.ts'

/**
 * The room of `workspace.connect` or of an invitation, offered over stdio; undefined when neither is configured.
 * It is not contacted before the first request.
 * Errors: `invalid`/`invalid_request` for a malformed invitation, or an address that would send a secret unencrypted.
 */
export function remoteRoom(host: Host, config: WorkspaceConfig): RemoteMcp | undefined {
  const { connect, invite } = config
  if (connect === undefined && invite === undefined) return undefined
  const ticket = invite === undefined ? undefined : ticketOf(invite)
  const address = connect ?? ticket?.endpoints.find(isSafeEndpoint)
  if (address === undefined || !isSafeEndpoint(address)) throw refusals.room_address()
  const { origin, pathname } = new URL(address)
  let asked = false
  return {
    url: pathname === '/' ? `${origin}/mcp` : address,
    toolPrefix: 'workspace_',
    keyField: 'idempotency_key',
    uriPrefixes: [`${ROOM_URI}/`, 'skill://satchel/'],
    prompts: ['join-room', 'propose-change'],
    errors: {
      lost: (cause) => refusals.remote_lost({ cause }),
      sessionEnded: () => refusals.session_expired(),
      mismatch: () => refusals.not_a_room(),
    },
    async bearer() {
      const saved = await savedSessionAt(host, origin)
      if (!asked) await requireRoom(origin, saved?.token)
      // A second request for the token means that the stored session was refused: an invitation may start a new one.
      if (saved && !(asked && ticket)) {
        asked = true
        return saved.token
      }
      asked = true
      if (ticket) return redeem(host, { ...ticket, endpoints: [origin] }, config.name)
      throw refusals.session_not_stored()
    },
  }
}

async function redeem(host: Host, ticket: JoinTicket, name = 'agent'): Promise<string> {
  const { url, joined } = await redeemAt(ticket, { invite: ticket.secret, name, kind: 'agent' })
  await saveSession(host, { ...joined, url })
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
