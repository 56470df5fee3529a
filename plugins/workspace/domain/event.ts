import { visibleLine, withoutHidden } from '../../../server/plugin.ts'
import { LIMITS } from './limits.ts'
import type { Moment } from './moment.ts'
import { firstChars } from './short-text.ts'

/** The taxonomy (spec workspace-events "Taxonomy"). There is no `workspace.updated`: a version change is `change.committed`. */
export const EVENT_TYPES = [
  'workspace.created',
  'workspace.started',
  'workspace.stopped',
  'participant.joined',
  'participant.left',
  'session.created',
  'session.expired',
  'change.committed',
  'proposal.created',
  'proposal.approved',
  'proposal.rejected',
  'proposal.committed',
  'proposal.conflicted',
  'proposal.superseded',
  'lease.acquired',
  'lease.released',
  'lease.expired',
  'invite.created',
  'invite.revoked',
  'handoff.created',
  'handoff.accepted',
  'handoff.result_ready',
  'handoff.approved',
  'handoff.rejected',
  'handoff.cancelled',
  'task.created',
  'task.updated',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export type PayloadValue = string | number | boolean | readonly string[]
export type Payload = Readonly<Record<string, PayloadValue>>

/** A stored event, schema version 1, with the specification's keys in its order. It says that something changed; it does not copy the document. */
export interface RoomEvent {
  readonly event_id: number
  readonly event_type: EventType
  readonly schema_version: 1
  readonly workspace_id: string
  readonly created_at: Moment
  readonly version?: number
  readonly actor_id?: string
  readonly payload: Payload
}

/** An event before it has an id and a time. */
export interface EventDraft {
  readonly type: EventType
  readonly version?: number
  readonly actor?: string
  readonly payload: Readonly<Record<string, PayloadValue | undefined>>
}

const PROPOSAL_KEYS = ['proposal_id', 'target', 'reviewer_id']
const HANDOFF_KEYS = ['handoff_id', 'task_id', 'to', 'target', 'proposal_id']
const TASK_KEYS = ['task_id', 'handoff_id']
const LEASE_END_KEYS = ['lease_id', 'target', 'reason']

/** The payload keys of each event, besides `summary` and `status` (design workspace, section 4). Other keys are removed. */
export const PAYLOAD_KEYS: Readonly<Record<EventType, readonly string[]>> = {
  'workspace.created': [],
  'workspace.started': [],
  'workspace.stopped': [],
  'participant.joined': ['participant_id', 'kind', 'name', 'capabilities'],
  'participant.left': ['participant_id', 'reason'],
  'session.created': ['participant_id', 'transport', 'expires_at'],
  'session.expired': ['participant_id'],
  'change.committed': ['target', 'base_version', 'proposal_id'],
  'proposal.created': ['proposal_id', 'target', 'base_version', 'rebased_from'],
  'proposal.approved': PROPOSAL_KEYS,
  'proposal.rejected': PROPOSAL_KEYS,
  'proposal.committed': PROPOSAL_KEYS,
  'proposal.conflicted': PROPOSAL_KEYS,
  'proposal.superseded': PROPOSAL_KEYS,
  'lease.acquired': ['lease_id', 'target', 'expires_at', 'fence', 'renewed'],
  'lease.released': LEASE_END_KEYS,
  'lease.expired': LEASE_END_KEYS,
  'invite.created': ['invite_id', 'capabilities', 'expires_at', 'max_uses'],
  'invite.revoked': ['invite_id'],
  'handoff.created': HANDOFF_KEYS,
  'handoff.accepted': HANDOFF_KEYS,
  'handoff.result_ready': HANDOFF_KEYS,
  'handoff.approved': HANDOFF_KEYS,
  'handoff.rejected': HANDOFF_KEYS,
  'handoff.cancelled': HANDOFF_KEYS,
  'task.created': TASK_KEYS,
  'task.updated': TASK_KEYS,
}

/** Events that name a workspace version. */
const VERSIONED: ReadonlySet<EventType> = new Set([
  'workspace.created',
  'workspace.started',
  'change.committed',
  'proposal.committed',
  'proposal.superseded',
  'proposal.conflicted',
])

/** The event to store. The payload is built key by key from the table; text loses what cannot be seen, the summary is cut to 240 characters. */
export function makeEvent(
  draft: EventDraft,
  stamp: { readonly id: number; readonly workspaceId: string; readonly at: Moment },
): RoomEvent {
  return {
    event_id: stamp.id,
    event_type: draft.type,
    schema_version: 1,
    workspace_id: stamp.workspaceId,
    created_at: stamp.at,
    ...(draft.version !== undefined && VERSIONED.has(draft.type) && { version: draft.version }),
    ...(draft.actor !== undefined && { actor_id: draft.actor }),
    payload: payloadOf(draft),
  }
}

function payloadOf({ type, payload }: EventDraft): Payload {
  const kept: Record<string, PayloadValue> = {}
  for (const key of [...PAYLOAD_KEYS[type], 'status', 'summary']) {
    const value = payload[key]
    if (value === undefined) continue
    kept[key] = typeof value === 'string' ? shortened(key, value) : value
  }
  return kept
}

function shortened(key: string, value: string): string {
  // A reader may use the target of an event in a call.
  return key === 'target' ? withoutHidden(value) : firstChars(visibleLine(value), LIMITS.eventSummaryChars)
}
