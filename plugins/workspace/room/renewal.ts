import { sha256 } from '../domain/fingerprint.ts'
import type { Invitation } from '../domain/invitation.ts'
import { LIMITS } from '../domain/limits.ts'
import { addMinutes } from '../domain/moment.ts'
import type { Rows } from '../domain/rows.ts'
import { isLive, type Session } from '../domain/session.ts'
import { refusals } from '../reasons.ts'
import type { Change } from './change.ts'
import { addSession, expireSessions, type Joined } from './members.ts'
import { invitations, listed, participants, stored } from './tables.ts'

/**
 * A new session for the guest whose session ran out, once and within seven days: never after it was revoked, its
 * invitation was, or the guest left. Errors: `unauthorized`/`unauthorized` for an unknown token,
 * `unauthorized`/`session_expired` for a session that stays ended, `invalid`/`invalid_request` for one that is live.
 */
export function renewSession(change: Change, { token }: { readonly token: string }): Joined {
  const { tx, now } = change
  const find = (): Session => {
    const row = tx.one('session_by_token', { token_hash: sha256(token) })
    if (!row) throw refusals.unauthorized()
    return stored<Session>(row)
  }
  if (isLive(find(), now)) throw refusals.session_live()
  expireSessions(change) // its timer may not have run
  const session = find()
  const participant = participants.get(tx, session.participant_id)
  if (participant.left_at !== undefined || !isRenewable(tx, session, now)) throw refusals.session_expired()
  return addSession(change, participant, session)
}

function isRenewable(rows: Rows, session: Session, now: string): boolean {
  const { end_reason, audience, participant_id, session_id, invite_id, expires_at } = session
  const [newest] = listed<Session>(rows, 'session_newest_of', { participant_id })
  const invitation = invite_id === undefined ? undefined : invitations.find(rows, invite_id)
  return (
    end_reason === 'expired' &&
    audience === 'ingress' &&
    newest?.session_id === session_id &&
    !isRevoked(invitation) &&
    addMinutes(expires_at, LIMITS.renewalMinutes) > now
  )
}

function isRevoked(invitation: Invitation | undefined): boolean {
  return invitation?.revoked_at !== undefined
}
