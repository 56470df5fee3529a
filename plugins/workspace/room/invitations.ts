import type { Capability } from '../../../server/plugin.ts'
import { AGENT_CAPABILITIES, isWithin, parseCapabilities } from '../domain/capability.ts'
import { sha256 } from '../domain/fingerprint.ts'
import { newId } from '../domain/identity.ts'
import { formatJoinUri, type Invitation, type InvitationView, invitationView } from '../domain/invitation.ts'
import { LIMITS } from '../domain/limits.ts'
import { addMinutes } from '../domain/moment.ts'
import { inRange, permissionDenied } from '../domain/refusal.ts'
import type { Session } from '../domain/session.ts'
import { formatTarget } from '../domain/target.ts'
import { type ActorChange, actorMay, requireCapability, workspaceRow } from './change.ts'
import { wantedTarget } from './document.ts'
import { revokeSession } from './members.ts'
import { invitations, listed } from './tables.ts'

const SECRET_BYTES = 24

export interface InviteInput {
  readonly capabilities?: readonly string[] | undefined
  readonly minutes?: number | undefined
  readonly max_uses?: number | null | undefined
  readonly target?: string | undefined
}

/** An invitation and, this once, the URI that holds its secret. */
export type Invited = InvitationView & { readonly uri: string }

/**
 * Makes an invitation to at most what the inviter may do itself.
 * Errors: `permission_denied` for more than that; `invalid`/`limit_exceeded` for its time or uses.
 */
export function invite(change: ActorChange, input: InviteInput): Invited {
  const { tx, now, actor, random, settings } = change
  requireCapability(actor, 'invite')
  const held = actor.session.capabilities
  const capabilities = grantable(input.capabilities, held)
  const target = input.target === undefined ? undefined : formatTarget(wantedTarget(change, input.target))
  const max_uses = usesOf(input.max_uses)
  const secret = Buffer.from(random(SECRET_BYTES)).toString('base64url')
  const invitation: Invitation = {
    invite_id: newId('inv', random),
    secret_hash: sha256(secret),
    capabilities,
    ...(target !== undefined && { target }),
    ...(max_uses !== undefined && { max_uses }),
    used_count: 0,
    expires_at: addMinutes(
      now,
      inRange(input.minutes ?? LIMITS.inviteMinutes, 'invitation in minutes', LIMITS.inviteMaxMinutes),
    ),
    created_by: actor.participant.participant_id,
  }
  invitations.put(tx, invitation)
  const { invite_id, expires_at } = invitation
  change.emit({
    type: 'invite.created',
    actor: invitation.created_by,
    payload: { invite_id, capabilities, expires_at, max_uses },
  })
  const { workspace_id } = workspaceRow(tx)
  const endpoints = settings.endpoints()
  const uri = formatJoinUri({ v: 1, workspace_id, endpoints, secret, expires_at, capabilities })
  return { ...invitationView(invitation), uri }
}

function grantable(asked: readonly string[] | undefined, held: readonly Capability[]): readonly Capability[] {
  if (asked === undefined) {
    return AGENT_CAPABILITIES.filter((capability) => isWithin([capability], held))
  }
  const capabilities = parseCapabilities(asked)
  if (!isWithin(capabilities, held)) throw permissionDenied()
  return capabilities
}

function usesOf(asked: number | null | undefined): number | undefined {
  return asked === null ? undefined : inRange(asked ?? 1, 'number of uses', LIMITS.inviteMaxUses)
}

/**
 * Revokes an invitation. Idempotent. Its sessions continue unless `end_sessions`.
 * Errors: `permission_denied` for `end_sessions` unless the caller created the invitation or is admin.
 */
export function revokeInvitation(
  change: ActorChange,
  input: { readonly invite_id: string; readonly end_sessions?: boolean | undefined },
): InvitationView {
  requireCapability(change.actor, 'invite')
  const { tx, now, actor } = change
  const invitation = invitations.get(tx, input.invite_id)
  const isCreator = invitation.created_by === actor.participant.participant_id
  if (input.end_sessions && !isCreator && !actorMay(actor, 'admin')) throw permissionDenied('admin')
  const revoked: Invitation = { ...invitation, revoked_at: invitation.revoked_at ?? now }
  if (invitation.revoked_at === undefined) {
    invitations.put(tx, revoked)
    change.emit({
      type: 'invite.revoked',
      actor: actor.participant.participant_id,
      payload: { invite_id: invitation.invite_id },
    })
  }
  if (input.end_sessions) {
    for (const session of listed<Session>(tx, 'session_open')) {
      if (session.invite_id === invitation.invite_id) revokeSession(change, session)
    }
  }
  return invitationView(revoked)
}
