/** An event, as far as a suggestion needs it. */
export interface SeenEvent {
  readonly event_id: number
  readonly event_type: string
  readonly created_at: string
  readonly actor_id?: string
  readonly payload: { readonly status?: unknown; readonly participant_id?: unknown }
}

export interface SeenMember {
  readonly participant_id: string
  readonly kind: 'human' | 'agent'
  readonly last_seen?: string
}

/** An agent that was active so long before an edit of the file may have made it. */
const ACTIVE_MS = 10 * 60_000

/**
 * The agent that probably made an edit outside the room: the one member of kind agent that was active in the ten minutes
 * before it. Undefined for any other event, and where several were or none.
 */
export function suggestedAuthor(
  event: SeenEvent,
  { events, members }: { readonly events: readonly SeenEvent[]; readonly members: readonly SeenMember[] },
): string | undefined {
  if (event.event_type !== 'change.committed' || event.payload.status !== 'external') return undefined
  const at = Date.parse(event.created_at)
  const isNear = (time: string): boolean => at - Date.parse(time) >= 0 && at - Date.parse(time) <= ACTIVE_MS
  const near = events.filter((one) => one.event_id < event.event_id && isNear(one.created_at))
  const active = new Set(near.flatMap(({ actor_id, payload }) => [actor_id, payload.participant_id]))
  const agents = members.filter(
    ({ participant_id, kind, last_seen }) =>
      kind === 'agent' && (active.has(participant_id) || (last_seen !== undefined && isNear(last_seen))),
  )
  return agents.length === 1 ? agents[0]?.participant_id : undefined
}
