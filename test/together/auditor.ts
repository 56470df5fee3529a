import type { RoomEvent } from '../../plugins/workspace/domain/event.ts'
import type { RoomProcess } from '../workspace-process.ts'

/** Reads every event and the text of every version while the room works. */
export interface Auditor {
  readonly events: readonly RoomEvent[]
  /** The text of each version. */
  readonly texts: ReadonlyMap<number, string>
  /** Each proposal by its id, as it was made. */
  readonly proposals: ReadonlyMap<string, Proposed>
  /** Takes in what came since the last look. */
  look(): Promise<void>
}

export interface Proposed {
  readonly summary: string
  readonly content: string
  readonly rebased_from?: string
}

const PAGE = 200

/** Of a process with every right. It keeps what it saw, because the room keeps the newest only. */
export function createAuditor({ call }: RoomProcess): Auditor {
  const events: RoomEvent[] = []
  const texts = new Map<number, string>()
  const proposals = new Map<string, Proposed>()
  const readVersion = async (version: number): Promise<void> => {
    if (texts.has(version)) return
    const { content } = await call('workspace_read', { version })
    if (typeof content === 'string') texts.set(version, content)
  }
  const readProposal = async (proposal_id: string): Promise<void> => {
    const found = await call('workspace_proposal', { proposal_id })
    if (typeof found['content'] === 'string') proposals.set(proposal_id, found as unknown as Proposed) // as it was given
  }
  /** What an event is about; asked again where the room went away in between. */
  const readOf = async ({ event_type, version, payload }: RoomEvent): Promise<boolean> => {
    const proposal_id = String(payload['proposal_id'])
    if (event_type === 'change.committed' && version !== undefined) {
      await readVersion(version)
      return texts.has(version)
    }
    if (event_type !== 'proposal.created') return true
    await readProposal(proposal_id)
    return proposals.has(proposal_id)
  }
  /** True if there is more, which can be read now. */
  const takePage = async (): Promise<boolean> => {
    const since_event_id = events.at(-1)?.event_id ?? 0
    const found = await call('workspace_events', { since_event_id, limit: PAGE })
    const { events: came = [], latest_event_id = 0 } = found as {
      events?: RoomEvent[]
      latest_event_id?: number
    }
    for (const event of came) {
      if (!(await readOf(event))) return false
      events.push(event)
    }
    return came.length > 0 && (events.at(-1)?.event_id ?? 0) < latest_event_id
  }
  let looking = Promise.resolve()
  const look = async (): Promise<void> => {
    while (await takePage());
  }
  return {
    events,
    texts,
    proposals,
    look() {
      looking = looking.then(look)
      return looking
    },
  }
}
