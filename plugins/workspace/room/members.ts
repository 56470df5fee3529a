import type { Capability } from '../../../server/plugin.ts'
import { sha256 } from '../domain/fingerprint.ts'
import { newId } from '../domain/identity.ts'
import { type Invitation, redeemed } from '../domain/invitation.ts'
import { LIMITS } from '../domain/limits.ts'
import { addMinutes } from '../domain/moment.ts'
import { freeName, type Participant, type ParticipantKind } from '../domain/participant.ts'
import { permissionDenied, tooMany } from '../domain/refusal.ts'
import type { Rows } from '../domain/rows.ts'
import {
  type Audience,
  isLive,
  isOwners,
  type Session,
  type SessionTransport,
  type SessionView,
  sessionView,
} from '../domain/session.ts'
import { requiredLine } from '../domain/short-text.ts'
import { refusals } from '../reasons.ts'
import { type ActorChange, actorMay, type Change, workspaceRow } from './change.ts'
import { releaseAll } from './leases.ts'
import { invitations, listed, participants, sessions, stored } from './tables.ts'

const TOKEN_BYTES = 32
const LIVE_SESSION_RETRY_SECONDS = 60

/** The result of joining; its token is shown once. */
export interface Joined {
  readonly token: string
  readonly session_id: string
  readonly participant_id: string
  readonly workspace_id: string
  readonly capabilities: readonly Capability[]
  readonly expires_at: string
}

/**
 * Turns an invitation's secret into a participant and a session, in one transaction.
 * Errors: `unauthorized`/`invitation_unknown`, `invitation_revoked`, `invitation_expired`, `invitation_redeemed`;
 * `rate_limited`/`limit_exceeded` for the 33rd live session besides the owner's.
 */
export function redeem(
  change: Change,
  input: {
    readonly secret: string
    readonly name: string
    readonly kind: ParticipantKind
    readonly transport?: SessionTransport
  },
): Joined {
  const { tx, now } = change
  const name = requiredLine(input.name, 'name', LIMITS.nameChars)
  const row = tx.one('invitation_by_secret', { secret_hash: sha256(input.secret) })
  if (!row) throw refusals.invitation_unknown()
  const invitation = redeemed(stored<Invitation>(row), now)
  invitations.put(tx, invitation)
  const participant = addParticipant(change, {
    name,
    kind: input.kind,
    capabilities: invitation.capabilities,
  })
  return addSession(change, participant, {
    audience: 'ingress',
    transport: input.transport ?? 'http',
    capabilities: invitation.capabilities,
    invite_id: invitation.invite_id,
  })
}

export interface LocalJoin {
  readonly name: string
  readonly kind: ParticipantKind
  readonly capabilities: readonly Capability[]
  readonly audience: Audience
  readonly transport: SessionTransport
}

/**
 * A session for this machine's own user. A present participant of that name and kind, who joined on this machine and has
 * no live session, is taken up again; else a new one joins, under the first free name.
 */
export function joinLocally(change: Change, input: LocalJoin): Joined {
  const name = requiredLine(input.name, 'name', LIMITS.nameChars)
  const busy = new Set(liveSessions(change.tx, change.now).map(({ participant_id }) => participant_id))
  const returning = presentParticipants(change.tx).find(
    (participant) =>
      participant.name === name &&
      participant.kind === input.kind &&
      !busy.has(participant.participant_id) &&
      !isGuest(change.tx, participant),
  )
  const participant = returning
    ? reinstated(change, returning, input.capabilities)
    : addParticipant(change, { name, kind: input.kind, capabilities: input.capabilities })
  return addSession(change, participant, input)
}

/** True for a participant who joined by an invitation. */
function isGuest(rows: Rows, { participant_id }: Participant): boolean {
  return listed<Session>(rows, 'session_first_of', { participant_id })[0]?.invite_id !== undefined
}

function reinstated(
  change: Change,
  participant: Participant,
  capabilities: readonly Capability[],
): Participant {
  const present = { ...participant, capabilities, last_seen: change.now }
  participants.put(change.tx, present)
  return present
}

function addParticipant(
  change: Change,
  { name, kind, capabilities }: Pick<Participant, 'name' | 'kind' | 'capabilities'>,
): Participant {
  const { tx, now, random } = change
  const taken = new Set(presentParticipants(tx).map((participant) => participant.name))
  const participant: Participant = {
    participant_id: newId('par', random),
    kind,
    name: freeName(name, taken),
    capabilities,
    joined_at: now,
    last_seen: now,
  }
  participants.put(tx, participant)
  const { participant_id } = participant
  change.emit({
    type: 'participant.joined',
    actor: participant_id,
    payload: { participant_id, kind, name: participant.name, capabilities },
  })
  return participant
}

type SessionFacts = Pick<Session, 'audience' | 'transport' | 'capabilities'> & { readonly invite_id?: string }

/** A live session of a participant. Errors: `rate_limited`/`limit_exceeded` where the room is full. */
export function addSession(change: Change, participant: Participant, facts: SessionFacts): Joined {
  const { tx, now, random } = change
  if (!isOwners(facts)) refuseTooManySessions(tx, now)
  const token = `ses_${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`
  const { audience, transport, capabilities, invite_id } = facts
  const { participant_id } = participant
  const session: Session = {
    session_id: newId('ssn', random),
    token_hash: sha256(token),
    participant_id,
    capabilities,
    audience,
    transport,
    ...(invite_id !== undefined && { invite_id }),
    issued_at: now,
    expires_at: addMinutes(now, LIMITS.sessionMinutes),
  }
  sessions.put(tx, session)
  const { session_id, expires_at } = session
  change.emit({
    type: 'session.created',
    actor: participant_id,
    payload: { participant_id, transport, expires_at },
  })
  return {
    token,
    session_id,
    participant_id,
    workspace_id: workspaceRow(tx).workspace_id,
    capabilities,
    expires_at,
  }
}

/**
 * Guests and agents share the sessions of a room. The owner's do not count, because only the owner can free one:
 * end a session, revoke the invitation that filled it.
 */
function refuseTooManySessions(rows: Rows, now: string): void {
  const shared = liveSessions(rows, now).filter((session) => !isOwners(session))
  if (shared.length >= LIMITS.liveSessions) {
    throw tooMany('live sessions in this room', LIMITS.liveSessions, LIVE_SESSION_RETRY_SECONDS)
  }
}

/** Participants who have not left, in the order they joined. */
export function presentParticipants(rows: Rows): readonly Participant[] {
  return listed<Participant>(rows, 'participant_present')
}

/** Sessions that may be used now. */
export function liveSessions(rows: Rows, now: string): readonly Session[] {
  return listed<Session>(rows, 'session_open').filter((session) => isLive(session, now))
}

/** Ends membership: releases the leases, marks the participant as left and ends its sessions. Idempotent. */
export function leave(
  change: ActorChange,
  input: { readonly participant_id?: string | undefined },
): Participant {
  const { tx, now, actor } = change
  const own = actor.participant.participant_id
  const participantId = input.participant_id ?? own
  if (participantId !== own && !actorMay(actor, 'admin')) throw permissionDenied('admin')
  const participant = participants.get(tx, participantId)
  if (participant.left_at !== undefined) return participant
  expireSessions(change)
  releaseAll(change, participantId)
  const former: Participant = { ...participant, left_at: now }
  participants.put(tx, former)
  change.emit({
    type: 'participant.left',
    actor: own,
    payload: { participant_id: participantId, reason: participantId === own ? 'left' : 'removed' },
  })
  for (const session of listed<Session>(tx, 'session_open')) {
    if (session.participant_id !== participantId) continue
    sessions.put(tx, { ...session, ended_at: now, end_reason: 'left' })
    change.endSession(session.session_id)
  }
  return former
}

/** Ends a session of the caller, or any as admin. Idempotent. */
export function endSession(change: ActorChange, input: { readonly session_id: string }): SessionView {
  const { tx, actor } = change
  const isOwn = sessions.find(tx, input.session_id)?.participant_id === actor.participant.participant_id
  // Checked before the lookup: a caller who may not end it does not learn whether it exists.
  if (!isOwn && !actorMay(actor, 'admin')) throw permissionDenied('admin')
  return sessionView(revokeSession(change, sessions.get(tx, input.session_id)))
}

/** Revokes a session; one past its end has expired instead, even if the timer has not run since. Idempotent. */
export function revokeSession(change: ActorChange, session: Session): Session {
  if (session.ended_at !== undefined) return session
  return isLive(session, change.now)
    ? close(change, session, 'revoked', change.actor.participant.participant_id)
    : close(change, session, 'expired', undefined)
}

/** Ends every session that is past its end. Runs on the timer, and before a participant leaves. */
export function expireSessions(change: Change): void {
  for (const session of listed<Session>(change.tx, 'session_open')) {
    if (session.expires_at <= change.now) close(change, session, 'expired', undefined)
  }
}

/** Ends a session of this machine whose process has ended. */
export function dropLocalSession(change: Change, sessionId: string): void {
  const session = sessions.find(change.tx, sessionId)
  if (session && session.ended_at === undefined) close(change, session, 'expired', undefined)
}

function close(
  change: Change,
  session: Session,
  reason: 'expired' | 'revoked',
  actor: string | undefined,
): Session {
  const ended: Session = { ...session, ended_at: change.now, end_reason: reason }
  sessions.put(change.tx, ended)
  change.emit({
    type: 'session.expired',
    ...(actor !== undefined && { actor }),
    payload: { participant_id: session.participant_id, status: reason },
  })
  change.endSession(session.session_id)
  return ended
}
