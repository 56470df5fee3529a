import {
  type EvidenceFinding,
  type EvidenceKind,
  type Host,
  isJsonObject,
  isSatchelError,
} from '../../server/plugin.ts'
import { looked } from './commands/look.ts'
import { namedPlace } from './commands/target.ts'
import { callOwner } from './connection/link.ts'
import type { RoomProcess } from './connection/room-process.ts'
import { refusals } from './reasons.ts'
import { handoffs } from './room/tables.ts'

/** Name of the kind of evidence. */
export const ROOM_DECISION = 'room_decision'

/** What is read of a handoff of the room. */
interface Decision {
  readonly handoff_id: string
  readonly title: string
  readonly status: string
}

const DECIDED: readonly string[] = ['approved', 'rejected']

/**
 * The kind of evidence `room_decision`: that a review in the configured room decided as it did. Looks without opening the
 * room. Another room than that of the claim does not know the handoff, and so tells nothing.
 */
export function roomEvidence(host: Host, room: RoomProcess): EvidenceKind {
  return {
    name: ROOM_DECISION,
    takes: 'id of a reviewed handoff of the room, or {handoff_id}',
    async capture(named, { signal }) {
      const id = isJsonObject(named) ? named['handoff_id'] : named
      if (typeof id !== 'string') throw refusals.handoff_not_found()
      const { title, status } = await decisionOf(id, signal)
      const isDecided = DECIDED.includes(status)
      const reason = isDecided ? `the room ${status} it` : `the room has not decided: it is ${status}`
      const facts = { handoff_id: id, title, decision: status }
      return { facts, verdict: isDecided ? 'holds' : 'unverifiable', reason }
    },
    async verify({ handoff_id: id, decision }, { signal }) {
      if (typeof id !== 'string' || typeof decision !== 'string' || !DECIDED.includes(decision))
        return unknown('it names no decision of a room')
      if (!namedPlace(room, undefined)) return unknown('no room is configured here')
      try {
        const { status } = await decisionOf(id, signal)
        if (status === decision) return { verdict: 'holds', reason: `the room ${status} it` }
        return { verdict: 'contradicted', reason: `in the room it is ${status}` }
      } catch (thrown) {
        if (reasonOf(thrown) === 'handoff_not_found') return unknown('the room here has no such handoff')
        if (reasonOf(thrown) === 'room_not_found') return unknown('the room was deleted, or never was here')
        throw thrown // the host answers unverifiable, with this reason
      }
    },
    describe: ({ handoff_id, title, decision }) =>
      `The room ${String(decision)} ${String(title)} (${String(handoff_id)})`,
  }

  function decisionOf(id: string, signal: AbortSignal): Promise<Decision> {
    return looked(host, room, undefined, {
      async running({ address, token }) {
        const path = `/workspace/handoff_get?handoff_id=${encodeURIComponent(id)}`
        return (await callOwner(address, { method: 'GET', path, token, signal })) as Decision // the tool's output
      },
      stopped: ({ rows }) => handoffs.get(rows, id),
    })
  }
}

function unknown(reason: string): EvidenceFinding {
  return { verdict: 'unverifiable', reason }
}

function reasonOf(thrown: unknown): string | undefined {
  return isSatchelError(thrown) ? thrown.reason : undefined
}
