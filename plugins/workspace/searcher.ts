import type { Found, Host, Searcher } from '../../server/plugin.ts'
import { looked } from './commands/look.ts'
import { realWorld } from './connection/clock.ts'
import { callOwner } from './connection/link.ts'
import type { RoomProcess } from './connection/room-process.ts'
import { refusals } from './reasons.ts'
import { currentMoment, lookingActor } from './room/change.ts'
import { type Match, searched } from './room/search.ts'

/**
 * Finds lines, versions, proposals and events of the configured room, as its owner and without a session: for the user whose
 * room it is, at any door. Does not open the room.
 */
export function roomSearcher(host: Host, room: RoomProcess): Searcher {
  return {
    kind: 'room',
    async search(query, limit, { principal, signal }) {
      if (principal.kind !== 'local') throw refusals.unauthorized()
      const { matches, more } = await looked(host, room, undefined, {
        async running({ address, token }) {
          const path = `/workspace/search?query=${encodeURIComponent(query)}&limit=${limit}`
          return (await callOwner(address, { method: 'GET', path, token, signal })) as ReturnType<
            typeof searched
          >
        },
        stopped: ({ rows, analysis }) => {
          const actor = lookingActor(currentMoment(rows, realWorld.nowMicros()))
          return searched({ rows, actor, analysis }, { query, limit })
        },
      })
      return { results: matches.map(foundAt), more }
    },
  }
}

/** A match with the call of a core tool that shows it. */
function foundAt({ kind, ref, line, text }: Match): Found {
  if (kind === 'document') {
    const section = ref.startsWith('section:') ? ref.slice('section:'.length) : undefined
    const args = section === undefined ? {} : { section }
    return {
      text: `line ${line}${section === undefined ? '' : ` of ${section}`}: ${text}`,
      open: { tool: 'workspace_read', args },
    }
  }
  if (kind === 'version')
    return {
      text: `version ${ref}: ${text}`,
      open: { tool: 'workspace_read', args: { version: Number(ref) } },
    }
  if (kind === 'proposal')
    return {
      text: `proposal ${ref}: ${text}`,
      open: { tool: 'workspace_proposal', args: { proposal_id: ref } },
    }
  const before = Math.max(0, Number(ref) - 1)
  return {
    text: `event ${ref}: ${text}`,
    open: { tool: 'workspace_changes', args: { since_event_id: before } },
  }
}
