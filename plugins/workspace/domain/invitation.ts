import { type Capability, parsedJson } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Moment } from './moment.ts'

/** Lets its holder join, `max_uses` times (absent: any number). Only the SHA-256 of the secret is stored. */
export interface Invitation {
  readonly invite_id: string
  readonly secret_hash: string
  readonly capabilities: readonly Capability[]
  /** What the invitation is about; shown, not enforced. */
  readonly target?: string
  readonly max_uses?: number
  readonly used_count: number
  readonly expires_at: Moment
  readonly revoked_at?: Moment
  readonly created_by: string
}

/** What may be shown of an invitation: everything but the secret's hash. */
export type InvitationView = Omit<Invitation, 'secret_hash'>

/** The invitation without its secret's hash. */
export function invitationView({ secret_hash: _, ...view }: Invitation): InvitationView {
  return view
}

/**
 * The invitation after one more use.
 * Errors: `invitation_revoked`, `invitation_expired` (`forbidden`), `invitation_redeemed` (`conflict`).
 */
export function redeemed(invitation: Invitation, now: Moment): Invitation {
  if (invitation.revoked_at !== undefined) throw refusals.invitation_revoked()
  if (invitation.expires_at <= now) throw refusals.invitation_expired()
  if (invitation.max_uses !== undefined && invitation.used_count >= invitation.max_uses)
    throw refusals.invitation_redeemed()
  return { ...invitation, used_count: invitation.used_count + 1 }
}

/** What an invitation's URI carries. */
export interface JoinTicket {
  readonly v: 1
  readonly workspace_id: string
  readonly endpoints: readonly string[]
  readonly secret: string
  readonly expires_at: Moment
  readonly capabilities: readonly Capability[]
}

const URI_PREFIX = 'satchel://join/'
const URI_MAX_BYTES = 8192

/** `satchel://join/<base64url JSON>`. */
export function formatJoinUri(ticket: JoinTicket): string {
  return URI_PREFIX + Buffer.from(JSON.stringify(ticket)).toString('base64url')
}

/**
 * The ticket of a join URI; undefined for any other text.
 * Only `secret` and `endpoints` are trusted to be there; the room checks everything else itself.
 */
export function parseJoinUri(uri: string): JoinTicket | undefined {
  if (!uri.startsWith(URI_PREFIX) || uri.length > URI_MAX_BYTES) return undefined
  const value = parsedJson(Buffer.from(uri.slice(URI_PREFIX.length), 'base64url').toString('utf8'))
  return isTicket(value) ? value : undefined
}

function isTicket(value: unknown): value is JoinTicket {
  if (typeof value !== 'object' || value === null) return false
  const ticket = value as Partial<Record<keyof JoinTicket, unknown>> // every key is checked below
  return (
    ticket.v === 1 &&
    typeof ticket.workspace_id === 'string' &&
    typeof ticket.secret === 'string' &&
    Array.isArray(ticket.endpoints) &&
    ticket.endpoints.every((endpoint) => typeof endpoint === 'string')
  )
}
