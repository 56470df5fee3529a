import type { Capability, Principal } from '../../../server/plugin.ts'
import type { Moment } from './moment.ts'

/** The origin of a session: an invitation, the link of the owner page, or a process of this machine. The owner page's token is accepted at its own port only. */
export type Audience = 'ingress' | 'owner' | 'local'
export type SessionTransport = 'http' | 'browser' | 'stdio'
export type EndReason = 'expired' | 'revoked' | 'left'

/** A participant's access. `session_id` is a handle; the token is kept as its SHA-256 only. */
export interface Session {
  readonly session_id: string
  readonly token_hash: string
  readonly participant_id: string
  readonly capabilities: readonly Capability[]
  readonly audience: Audience
  readonly transport: SessionTransport
  readonly invite_id?: string
  readonly issued_at: Moment
  readonly expires_at: Moment
  readonly ended_at?: Moment
  readonly end_reason?: EndReason
}

/** Prefix of the name of a session's principal. */
const SESSION_PREFIX = 'session:'

/** The name of a session's principal in the host. */
export function principalId(sessionId: string): string {
  return SESSION_PREFIX + sessionId
}

/** The id of a principal's session, if it has one. */
export function sessionIdOf({ kind, id }: Principal): string | undefined {
  return kind === 'session' && id.startsWith(SESSION_PREFIX) ? id.slice(SESSION_PREFIX.length) : undefined
}

/** True while the session may be used. */
export function isLive(session: Session, now: Moment): boolean {
  return session.ended_at === undefined && session.expires_at > now
}

/**
 * True for the room's owner: the owner page, and a process of this machine that acts as the owner. Guests with
 * `admin` are not owners.
 */
export function isOwners({ audience, capabilities }: Pick<Session, 'audience' | 'capabilities'>): boolean {
  return audience === 'owner' || (audience === 'local' && capabilities.includes('admin'))
}

/** A session without its token's hash. */
export type SessionView = Omit<Session, 'token_hash'>

/** The session without its token's hash. */
export function sessionView({ token_hash: _, ...view }: Session): SessionView {
  return view
}

/**
 * The owner who looks from a process of this machine: no session is created for it, nothing is stored, and no change
 * accepts it. Its token is not a secret: it counts at the owner's socket only, which the user alone can open.
 */
export const LOOKING = { session_id: 'ssn_looking', token: 'ses_looking' } as const
