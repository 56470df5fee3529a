import {
  CAPABILITIES,
  type Capability,
  errorBody,
  errorFromBody,
  isSatchelError,
  type SatchelError,
} from '../../../server/plugin.ts'
import type { Analysis } from '../domain/analysis.ts'
import { allows } from '../domain/capability.ts'
import { type EventDraft, makeEvent, type RoomEvent } from '../domain/event.ts'
import { requestHash } from '../domain/fingerprint.ts'
import type { RandomBytes } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'
import { addMinutes, formatMoment, type Micros, type Moment, microsOf } from '../domain/moment.ts'
import type { Participant } from '../domain/participant.ts'
import { permissionDenied } from '../domain/refusal.ts'
import type { Rows, Tx } from '../domain/rows.ts'
import { isLive, LOOKING, principalId, type Session } from '../domain/session.ts'
import { refusals } from '../reasons.ts'
import { listed, participants, sessions, stored } from './tables.ts'

export interface RoomSettings {
  /** `section`: a section proposal stays current while its own section is untouched. */
  readonly staleness: 'strict' | 'section'
  /** The addresses that invitations name; may change while the room is open. */
  endpoints(): readonly string[]
}

/** What one mutation publishes once it is durable. */
export interface News {
  readonly events: readonly RoomEvent[]
  readonly endedSessions: readonly string[]
  /** Tasks that changed, with the principals they belong to. */
  readonly tasks: readonly { readonly taskId: string; readonly owners: readonly string[] }[]
}

/** The acting session, which is live, and its participant. */
export interface Actor {
  readonly session: Session
  readonly participant: Participant
}

/** One mutation while it runs: the transaction, its single moment, and what it will publish. */
export interface Change {
  readonly tx: Tx
  readonly now: Moment
  readonly random: RandomBytes
  readonly settings: RoomSettings
  readonly analysis: Analysis
  emit(draft: EventDraft): void
  /** Closes the streams of this session immediately. */
  endSession(sessionId: string): void
  /** A task of these participants changed. */
  touchTask(taskId: string, participantIds: readonly string[]): void
}

/** A mutation by a session. */
export interface ActorChange extends Change {
  readonly actor: Actor
}

/** A refusal whose side effects are stored: it is thrown after the change is durable. */
export interface StoredRefusal {
  readonly refused: SatchelError
}

/** Wraps a refusal whose side effect must stay (a stale proposal turns conflicted). */
export function storedRefusal(refused: SatchelError): StoredRefusal {
  return { refused }
}

export interface ChangeParts {
  nowMicros(): Micros
  readonly random: RandomBytes
  readonly settings: RoomSettings
  readonly analysis: Analysis
  publish(news: News): void
}

/** Opens a change in `tx`. Its moment never lies before the newest stored event, also after a restart or a clock set back. */
export function beginChange(tx: Tx, parts: ChangeParts): Change {
  const now = currentMoment(tx, parts.nowMicros())
  const events: RoomEvent[] = []
  const endedSessions: string[] = []
  const tasks: { taskId: string; owners: readonly string[] }[] = []
  let announced = false
  const announce = (): void => {
    if (announced) return
    announced = true
    tx.onDurable(() => parts.publish({ events, endedSessions, tasks }))
  }
  return {
    tx,
    now,
    random: parts.random,
    settings: parts.settings,
    analysis: parts.analysis,
    emit(draft) {
      announce()
      events.push(storeEvent(tx, draft, now))
    },
    endSession(sessionId) {
      announce()
      endedSessions.push(sessionId)
    },
    touchTask(taskId, owners) {
      announce()
      tasks.push({ taskId, owners: principalsOf(tx, owners) })
    },
  }
}

/** The principals behind participants: one for each of their open sessions. */
function principalsOf(rows: Rows, participantIds: readonly string[]): readonly string[] {
  return listed<Session>(rows, 'session_open')
    .filter(({ participant_id }) => participantIds.includes(participant_id))
    .map(({ session_id }) => principalId(session_id))
}

/** The present moment as a mutation or a read takes it. */
export function currentMoment(rows: Rows, micros: Micros): Moment {
  const newest = listed<RoomEvent>(rows, 'event_newest', { limit: 1 })[0]
  return formatMoment(Math.max(micros, newest ? microsOf(newest.created_at) : 0))
}

function storeEvent(tx: Tx, draft: EventDraft, at: Moment): RoomEvent {
  const workspaceId = workspaceRow(tx).workspace_id
  const event = makeEvent(draft, { id: tx.nextEventId(), workspaceId, at })
  tx.run('event_add', { id: event.event_id, json: JSON.stringify(event) })
  tx.run('event_trim', { floor: event.event_id - LIMITS.eventsKept })
  return event
}

/** What is kept of the room itself. */
export interface WorkspaceRow {
  readonly workspace_id: string
  readonly name: string
  readonly lifecycle: 'ACTIVE' | 'STOPPED'
  readonly created_at: Moment
}

/** The room's own row. */
export function workspaceRow(rows: Rows): WorkspaceRow {
  const row = rows.one('workspace_get')
  if (!row) throw refusals.store_not_ready()
  return stored<WorkspaceRow>(row)
}

/**
 * The live session and participant behind a session id.
 * Errors: `unauthorized`/`unauthorized` for none, `unauthorized`/`session_expired` for one that ended.
 */
export function liveActor(rows: Rows, sessionId: string, now: Moment): Actor {
  const session = sessions.find(rows, sessionId)
  if (!session) throw refusals.unauthorized()
  const participant = participants.get(rows, session.participant_id)
  if (!isLive(session, now) || participant.left_at !== undefined) {
    throw refusals.session_expired()
  }
  return { session, participant }
}

/** The owner who looks without a session: may see everything, and is stored nowhere. */
export function lookingActor(now: Moment): Actor {
  const capabilities = CAPABILITIES
  const participant_id = 'par_0000000000000000'
  return {
    participant: {
      participant_id,
      kind: 'human',
      name: 'owner',
      capabilities,
      joined_at: now,
      last_seen: now,
    },
    session: {
      session_id: LOOKING.session_id,
      token_hash: '',
      participant_id,
      capabilities,
      audience: 'local',
      transport: 'stdio',
      issued_at: now,
      expires_at: now,
    },
  }
}

/** Refuses an actor whose session lacks `capability`. Errors: `forbidden`/`permission_denied`. */
export function requireCapability({ session }: Actor, capability: Capability): void {
  if (!allows(session.capabilities, capability)) throw permissionDenied(capability)
}

/** True when the actor's session allows `capability`. */
export function actorMay({ session }: Actor, capability: Capability): boolean {
  return allows(session.capabilities, capability)
}

/** Updates `last_seen`, at most once a minute and only together with another change. */
export function noteSeen(change: ActorChange): void {
  const { participant } = change.actor
  const seconds = (microsOf(change.now) - microsOf(participant.last_seen)) / 1_000_000
  const current = participants.get(change.tx, participant.participant_id)
  if (seconds < LIMITS.lastSeenSeconds || current.left_at !== undefined) return
  participants.put(change.tx, { ...current, last_seen: change.now })
}

type Outcome = { readonly data: unknown } | { readonly error: ReturnType<typeof errorBody> }

/** The request as idempotency sees it. */
export interface KeyedRequest {
  readonly operation: string
  readonly key: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * The earlier outcome of the same request by the same participant, if it is still kept (24 hours, newest 1,000).
 * Errors: `conflict`/`idempotency_mismatch` when the key was used for another request.
 */
export function findReplay(change: ActorChange, request: KeyedRequest): Outcome | undefined {
  const participant_id = change.actor.participant.participant_id
  const row = change.tx.one('replay_get', { participant_id, key: request.key })
  if (!row || String(row['stored_at']) < replayFloor(change.now)) return undefined
  if (row['hash'] !== requestHash(request.operation, request.input)) {
    throw refusals.idempotency_mismatch()
  }
  return stored<Outcome>(row)
}

/** Stores the outcome of a request. */
export function storeReplay(change: ActorChange, request: KeyedRequest, outcome: unknown): void {
  const participant_id = change.actor.participant.participant_id
  const { tx } = change
  const n = Number(tx.one('replay_next', { participant_id })?.['n'])
  tx.run('replay_trim_age', { floor: replayFloor(change.now) })
  tx.run('replay_put', {
    participant_id,
    key: request.key,
    n,
    stored_at: change.now,
    hash: requestHash(request.operation, request.input),
    json: JSON.stringify(asOutcome(outcome)),
  })
  const floor = n - LIMITS.idempotencyKeysPerParticipant
  if (floor > 0) tx.run('replay_trim_below', { participant_id, floor })
}

function replayFloor(now: Moment): Moment {
  return addMinutes(now, -60 * LIMITS.idempotencyHours)
}

function asOutcome(outcome: unknown): Outcome {
  return isStoredRefusal(outcome) ? { error: errorBody(outcome.refused) } : { data: withoutSecret(outcome) }
}

/** True for a refusal that is thrown only after its change is durable. */
export function isStoredRefusal(outcome: unknown): outcome is StoredRefusal {
  return (
    typeof outcome === 'object' && outcome !== null && 'refused' in outcome && isSatchelError(outcome.refused)
  )
}

/** A secret is shown once; a replay is marked instead. */
function withoutSecret(outcome: unknown): unknown {
  if (typeof outcome !== 'object' || outcome === null || !('uri' in outcome)) return outcome
  const { uri: _, ...shown } = outcome
  return { ...shown, replayed: true }
}

/** The stored outcome as a result. Errors: the stored refusal. */
export function replayed(outcome: Outcome): unknown {
  if ('data' in outcome) return outcome.data
  throw errorFromBody(outcome.error)
}
