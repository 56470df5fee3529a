import { type Digest, digest } from '../domain/digest.ts'
import type { RoomEvent } from '../domain/event.ts'
import { fileNote } from '../domain/file-state.ts'
import type { Handoff } from '../domain/handoff.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Proposal } from '../domain/proposal.ts'
import type { Rows } from '../domain/rows.ts'
import type { Version } from '../domain/version.ts'
import { requireCapability } from './change.ts'
import { presentParticipants } from './members.ts'
import { handoffs, leases, listed, participants, proposals, type Table } from './tables.ts'
import { activeLeases, eventsSince, ringOf, type View } from './views.ts'

/** Of an answer: `max_tokens` of a caller that says nothing. */
export const DEFAULT_TOKENS = 800

/** What happened after a cursor, within a token budget. Clients may drop notifications; this call is how they catch up. */
export function changesSince(
  view: View,
  input: { readonly since_event_id: number; readonly max_tokens?: number | undefined },
): Digest {
  requireCapability(view.actor, 'read')
  requireCapability(view.actor, 'observe')
  const { rows } = view
  const since = input.since_event_id
  const { latest_event_id: latest, oldest_event_id: oldest, gap } = ringOf(rows, since)
  const events = since > latest ? [] : eventsSince(rows, since, LIMITS.eventsKept)
  return digest(
    {
      since,
      events,
      latest,
      oldest,
      version: rows.document.version,
      file: fileNote(rows.document.substrate),
      me: view.actor.participant.participant_id,
      versions: versionsTouched(rows, events),
      ...(gap ? currentRows(view) : touchedRows(rows, events)),
    },
    input.max_tokens ?? DEFAULT_TOKENS,
  )
}

function versionsTouched(rows: Rows, events: readonly RoomEvent[]): readonly Version[] {
  const count = events.filter(({ event_type }) => event_type === 'change.committed').length
  const newest = listed<Version>(rows, 'version_page', {
    since: 0,
    before: Number.MAX_SAFE_INTEGER,
    limit: Math.max(count, 1),
  })
  return [...newest].reverse()
}

function currentRows(view: View) {
  const { rows } = view
  return {
    proposals: listed<Proposal>(rows, 'proposal_open'),
    leases: activeLeases(view),
    participants: presentParticipants(rows),
    handoffs: listed<Handoff>(rows, 'handoff_open'),
  }
}

function touchedRows(rows: Rows, events: readonly RoomEvent[]) {
  return {
    proposals: touched(rows, events, proposals, 'proposal', 'proposal_id'),
    leases: touched(rows, events, leases, 'lease', 'lease_id'),
    participants: touched(rows, events, participants, 'participant', 'participant_id'),
    handoffs: touched(rows, events, handoffs, 'handoff', 'handoff_id'),
  }
}

function touched<T>(
  rows: Rows,
  events: readonly RoomEvent[],
  table: Table<T>,
  family: string,
  key: string,
): readonly T[] {
  const ids = new Set<string>()
  for (const { event_type, payload } of events) {
    const id = payload[key]
    if (event_type.startsWith(`${family}.`) && typeof id === 'string') ids.add(id)
  }
  return [...ids].map((id) => table.get(rows, id))
}
