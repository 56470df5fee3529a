import type { RoomEvent } from '../domain/event.ts'
import type { HandoffStatus } from '../domain/handoff.ts'
import type { ProposalStatus } from '../domain/proposal.ts'
import { refusals } from '../reasons.ts'
import { requireCapability } from './change.ts'
import { handoffs, proposals } from './tables.ts'
import { eventsSince, ringOf, type View } from './views.ts'

/** How long a call waits that says nothing about it. */
export const WAIT_SECONDS = 60
/** One request to the owner is answered by then: proxies and clients give up on longer ones. */
export const WAIT_TURN_SECONDS = 15

/** What to wait for: exactly one of the three. */
export interface Wish {
  /** Any event with a higher id. */
  readonly since_event_id?: number | undefined
  /** Its review, or that a newer version overtook it. */
  readonly proposal_id?: string | undefined
  /** The next step of another participant: its acceptance and result for the creator, its review for the acceptor. */
  readonly handoff_id?: string | undefined
}

/** Whether it happened, and where the events are now. */
export interface Awaited {
  readonly happened: boolean
  readonly latest_event_id: number
  /** With `since_event_id`: that id is not among those kept, so that the answer to what came after it is not whole. */
  readonly gap?: true
  /** With `since_event_id`: how many events of each type came since. */
  readonly counts?: Readonly<Record<string, number>>
  readonly status?: ProposalStatus | HandoffStatus
}

/** Errors: `invalid_request` unless one thing is waited for; `proposal_not_found`, `handoff_not_found`. */
export function awaited(view: View, wish: Wish): Awaited {
  requireCapability(view.actor, 'read')
  requireCapability(view.actor, 'observe')
  const { since_event_id, proposal_id, handoff_id } = wish
  if (
    Object.values({ since_event_id, proposal_id, handoff_id }).filter((one) => one !== undefined).length !== 1
  )
    throw refusals.wait_input()
  const latest_event_id = view.rows.latestEventId
  if (proposal_id !== undefined) {
    const { status } = proposals.get(view.rows, proposal_id)
    return { happened: status !== 'pending', latest_event_id, status }
  }
  if (handoff_id !== undefined) {
    const { status, acceptor } = handoffs.get(view.rows, handoff_id)
    const isMine = acceptor === view.actor.participant.participant_id
    return { happened: !OPEN[isMine ? 'acceptor' : 'creator'].includes(status), latest_event_id, status }
  }
  const since = since_event_id ?? 0
  const { gap } = ringOf(view.rows, since)
  const happened = gap || latest_event_id > since
  return {
    happened,
    latest_event_id,
    ...(gap && { gap }),
    counts: happened ? countsOf(eventsSince(view.rows, since, COUNTED)) : {},
  }
}

/** The states in which the next step is another's. */
const OPEN: Readonly<Record<'creator' | 'acceptor', readonly HandoffStatus[]>> = {
  creator: ['created', 'accepted'],
  acceptor: ['result_ready'],
}

const COUNTED = 2000

function countsOf(events: readonly RoomEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { event_type } of events) counts[event_type] = (counts[event_type] ?? 0) + 1
  return counts
}
