import { counted, type FieldError } from '../../../server/plugin.ts'
import {
  type Handoff,
  type HandoffStep,
  isDone,
  type RequirementCheck,
  stepped,
  unmet,
} from '../domain/handoff.ts'
import { newId } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'
import { permissionDenied, tooLarge } from '../domain/refusal.ts'
import { optionalLine, requiredLine, requiredLines } from '../domain/short-text.ts'
import { formatTarget } from '../domain/target.ts'
import { refusals } from '../reasons.ts'
import {
  type ActorChange,
  actorMay,
  isStoredRefusal,
  requireCapability,
  type StoredRefusal,
} from './change.ts'
import { commitProposal } from './commits.ts'
import { wantedTarget } from './document.ts'
import { handoffs, participants, proposals } from './tables.ts'

export interface HandoffInput {
  readonly title: string
  readonly objective: string
  readonly to?: string | undefined
  readonly target?: string | undefined
  readonly record?: Readonly<Record<string, unknown>> | undefined
  readonly parent_id?: string | undefined
  readonly record_id?: string | undefined
  readonly requires?: readonly string[] | undefined
}

/** Checks a handoff record against its schema and returns the faults. */
export type RecordCheck = (record: unknown) => readonly FieldError[]

/**
 * Opens a handoff and its task.
 * Errors: `handoff_record_invalid` with `errors[]`; `participant_not_found`, `handoff_not_found` for `to` and `parent_id`.
 */
export function createHandoff(change: ActorChange, input: HandoffInput, check: RecordCheck): Handoff {
  requireCapability(change.actor, 'propose')
  const { tx, now, actor, random } = change
  const title = requiredLine(input.title, 'title', LIMITS.eventSummaryChars)
  const objective = requiredLines(input.objective, 'objective', LIMITS.objectiveChars)
  const target = input.target === undefined ? undefined : formatTarget(wantedTarget(change, input.target))
  if (input.to !== undefined) refuseAbsentParticipant(change, input.to)
  if (input.parent_id !== undefined) handoffs.get(tx, input.parent_id)
  const record = input.record === undefined ? undefined : checkedRecord(input.record, check)
  tx.requireSpace()
  const handoff: Handoff = {
    handoff_id: newId('ho', random),
    task_id: newId('task', random),
    from: actor.participant.participant_id,
    ...(input.to !== undefined && { to: input.to }),
    title,
    objective,
    ...(target !== undefined && { target }),
    base_version: tx.document.version,
    has_record: record !== undefined,
    ...(input.parent_id !== undefined && { parent_id: input.parent_id }),
    ...(input.record_id !== undefined && { record_id: input.record_id }),
    ...(input.requires?.length && { requires: [...new Set(input.requires)] }),
    status: 'created',
    created_at: now,
    updated_at: now,
  }
  if (record !== undefined) tx.run('handoff_record_add', { id: handoff.handoff_id, json: record })
  return tell(change, handoff, 'task.created')
}

function refuseAbsentParticipant({ tx }: ActorChange, participantId: string): void {
  if (participants.get(tx, participantId).left_at !== undefined) {
    throw refusals.participant_left()
  }
}

function checkedRecord(record: Readonly<Record<string, unknown>>, check: RecordCheck): string {
  const json = JSON.stringify(record)
  if (Buffer.byteLength(json) > LIMITS.handoffRecordBytes) {
    throw tooLarge('handoff record', LIMITS.handoffRecordBytes)
  }
  const errors = check(record)
  if (errors.length === 0) return json
  throw refusals.handoff_record_invalid({ places: counted(errors.length, 'place') }, { errors })
}

/** Takes a handoff on; the same participant again changes nothing. Errors: `permission_denied` unless addressed or open. */
export function acceptHandoff(change: ActorChange, input: { readonly handoff_id: string }): Handoff {
  requireCapability(change.actor, 'propose')
  const me = change.actor.participant.participant_id
  const handoff = handoffs.get(change.tx, input.handoff_id)
  if (handoff.to !== undefined && handoff.to !== me) throw refusals.addressed_to_another()
  if (isDone(handoff, 'accept') && handoff.acceptor === me) return handoff
  return step(change, handoff, 'accept', { acceptor: me })
}

/** The checks of a result that were made before the change. */
interface Checked {
  readonly checks?: readonly RequirementCheck[] | undefined
}

export interface ResultInput extends Checked {
  readonly handoff_id: string
  readonly summary: string
  readonly proposal_id?: string | undefined
  readonly result?: string | undefined
}

/** Hands the result in. Errors: `permission_denied` unless it is the acceptor, `handoff_state`, `proposal_not_found`. */
export function handInResult(change: ActorChange, input: ResultInput): Handoff {
  requireCapability(change.actor, 'propose')
  change.tx.requireSpace()
  const handoff = handoffs.get(change.tx, input.handoff_id)
  if (handoff.acceptor !== undefined && handoff.acceptor !== change.actor.participant.participant_id) {
    throw refusals.not_the_acceptor()
  }
  const { proposal_id, result } = input
  if (proposal_id !== undefined) proposals.get(change.tx, proposal_id)
  if (result !== undefined && Buffer.byteLength(result) > LIMITS.handoffRecordBytes)
    throw tooLarge('result', LIMITS.handoffRecordBytes)
  return step(change, handoff, 'result', {
    result_summary: requiredLine(input.summary, 'summary', LIMITS.storedSummaryChars),
    ...(proposal_id !== undefined && { proposal_id }),
    ...(result !== undefined && { result }),
    ...(input.checks?.length && { checks: input.checks }),
  })
}

export interface HandoffReviewInput extends Checked {
  readonly handoff_id: string
  readonly approve: boolean
  readonly reason?: string | undefined
  readonly commit?: boolean | undefined
}

/**
 * Approves or rejects a result; the same decision again changes nothing. With `commit` its approved proposal lands first.
 * Errors: `permission_denied` for the acceptor unless admin, `handoff_state`, `requirements_unmet`, and those of a commit.
 */
export function reviewHandoff(change: ActorChange, input: HandoffReviewInput): Handoff | StoredRefusal {
  const { actor, tx } = change
  requireCapability(actor, 'approve')
  const handoff = handoffs.get(tx, input.handoff_id)
  const isAcceptor = handoff.acceptor === actor.participant.participant_id
  if (isAcceptor && !actorMay(actor, 'admin')) throw permissionDenied('admin')
  const decision = input.approve ? 'approve' : 'reject'
  if (isDone(handoff, decision)) return handoff
  const reason = optionalLine(input.reason, 'reason', LIMITS.reasonChars)
  const checks = input.approve ? (input.checks ?? []) : []
  const more = { ...(reason !== undefined && { reason }), ...(checks.length > 0 && { checks }) }
  const after = stepped(handoff, decision, change.now, more)
  if (input.approve) refuseUnmet(handoff, checks)
  if (input.approve && input.commit) {
    requireCapability(actor, 'commit')
    if (handoff.proposal_id === undefined) {
      throw refusals.result_without_proposal()
    }
    const landed = commitProposal(change, handoff.proposal_id, {})
    if (isStoredRefusal(landed)) return landed
  }
  return tell(change, { ...after, decided_version: tx.document.version }, 'task.updated')
}

function refuseUnmet({ handoff_id, requires = [] }: Handoff, checks: readonly RequirementCheck[]): void {
  const open = unmet(requires, checks)
  if (open.length === 0) return
  const findings = open
    .map(({ requirement, reason }) => `${requirement}: ${reason.replace(/\.$/, '')}`)
    .join('; ')
  throw refusals.requirements_unmet({ findings }, { details: { handoff_id, checks: open } })
}

/** Calls a handoff off; again changes nothing. Errors: `permission_denied` unless creator, acceptor or admin; `handoff_state`. */
export function cancelHandoff(change: ActorChange, input: { readonly handoff_id: string }): Handoff {
  const { actor, tx } = change
  const me = actor.participant.participant_id
  const handoff = handoffs.find(tx, input.handoff_id)
  const isParty = handoff !== undefined && (handoff.from === me || handoff.acceptor === me)
  if (!isParty && !actorMay(actor, 'admin')) throw permissionDenied('admin')
  const present = handoffs.get(tx, input.handoff_id)
  return isDone(present, 'cancel') ? present : step(change, present, 'cancel', {})
}

function step(
  change: ActorChange,
  handoff: Handoff,
  name: HandoffStep,
  more: Parameters<typeof stepped>[3],
): Handoff {
  return tell(change, stepped(handoff, name, change.now, more), 'task.updated')
}

function tell(change: ActorChange, told: Handoff, task: 'task.created' | 'task.updated'): Handoff {
  // The event of the handoff is the next one.
  const handoff = { ...told, event_ids: [...(told.event_ids ?? []), change.tx.latestEventId + 1] }
  handoffs.put(change.tx, handoff)
  const { handoff_id, task_id, to, target, proposal_id, status, title, from, acceptor } = handoff
  const actor = change.actor.participant.participant_id
  change.emit({
    type: `handoff.${status}`,
    actor,
    payload: { handoff_id, task_id, to, target, proposal_id, status, summary: title },
  })
  change.emit({ type: task, actor, payload: { task_id, handoff_id, status } })
  change.touchTask(task_id, acceptor === undefined ? [from] : [from, acceptor])
  return handoff
}
