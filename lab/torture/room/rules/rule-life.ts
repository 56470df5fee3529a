import { createAnalyst } from '../../../../plugins/workspace/analysis/analyst.ts'
import type { RoomEvent } from '../../../../plugins/workspace/domain/event.ts'
import type { Handoff } from '../../../../plugins/workspace/domain/handoff.ts'
import type { Participant } from '../../../../plugins/workspace/domain/participant.ts'
import type { Rows } from '../../../../plugins/workspace/domain/rows.ts'
import type { Session } from '../../../../plugins/workspace/domain/session.ts'
import type { Sql } from '../../../../plugins/workspace/engine/sql.ts'
import type { StoreContent } from '../../../../plugins/workspace/engine/store.ts'
import { beginChange, type RoomSettings } from '../../../../plugins/workspace/room/change.ts'
import { externalEdit } from '../../../../plugins/workspace/room/document.ts'
import { type RoomParts, startRoom, storeContent } from '../../../../plugins/workspace/room/room.ts'
import { listed } from '../../../../plugins/workspace/room/tables.ts'
import { createSimulatedDisk, type Image } from '../../../../server/platform/testing/simulated-disk.ts'
import { CAPABILITIES, isSatchelError } from '../../../../server/plugin.ts'
import type { Chance } from '../../chance.ts'
import type { Life } from '../../power-cuts.ts'
import { FILE, openOn, START } from '../stage.ts'
import { trackSql } from '../tracked-sql.ts'
import { type RuleBug, withBug } from './rule-bug.ts'
import * as model from './rule-model.ts'
import { AGENT, type Boundary, join, STEPS, type World } from './rule-steps.ts'

const RULE_START: Image = new Map([...START, [FILE, Buffer.from(model.documentOf(model.START_TEXTS))]])
const FEWEST_STEPS = 20
const MORE_STEPS = 40
const SETTINGS: RoomSettings = { staleness: 'section', endpoints: () => [] }
const STARTED_AT = Date.UTC(2026, 10, 20) * 1000

/** People work in a room by a plan that the model follows; then its disk is cut. */
export async function liveByRules(
  { sql, bug }: { readonly sql: Sql; readonly bug?: RuleBug | undefined },
  chance: Chance,
): Promise<Life> {
  const simulated = createSimulatedDisk(RULE_START, chance)
  const tracked = trackSql(sql)
  const analyst = createAnalyst()
  const now = { micros: STARTED_AT }
  const parts: RoomParts = {
    nowMicros: () => now.micros,
    random: (size) => new Uint8Array(chance.bytes(size)),
    settings: SETTINGS,
    analyst,
    path: FILE,
    name: 'plan',
    publish() {},
    substrateChanged() {},
  }
  const store = await openOn(simulated.disk, tracked.sql, { owner: 1, content: contentOf(parts, bug) })
  const room = await startRoom(store, parts)
  const world = await enter({ room, simulated, chance, bug, now })
  const complaints: string[] = []
  for (let left = FEWEST_STEPS + chance.below(MORE_STEPS); left > 0 && complaints.length === 0; left -= 1) {
    complaints.push(...(await step(world)))
  }
  tracked.closeAll()
  const { boundaries } = world
  return {
    start: RULE_START,
    changes: simulated.changes,
    complaints,
    judge: async ({ image, at, chance: luck, second }) => {
      const again = createSimulatedDisk(image, luck)
      const reading = trackSql(sql)
      try {
        const opened = await openOn(again.disk, reading.sql, {
          owner: second ? 4 : 3,
          content: contentOf(parts, bug),
        })
        const faults = await opened.read((rows) => faultsOf(rows, boundaries, at))
        return { faults, recovery: [...again.changes] }
      } catch (thrown) {
        return { faults: [`the room could not be recovered: ${thrown}`], recovery: [...again.changes] }
      } finally {
        reading.closeAll()
      }
    },
  }
}

function contentOf(parts: RoomParts, bug: RuleBug | undefined): StoreContent {
  const content = storeContent(parts)
  const changing = { ...parts, analysis: parts.analyst.knowing([]) }
  return {
    ...content,
    hooks: {
      ...content.hooks,
      external: (tx, document) => externalEdit(withBug(beginChange(tx, changing), bug), document),
    },
  }
}

async function enter(parts: Pick<World, 'room' | 'simulated' | 'chance' | 'bug' | 'now'>): Promise<World> {
  const people = [await join(parts, 'boss', CAPABILITIES), await join(parts, 'worker', AGENT)]
  const events = [...(await parts.room.readAsSystem(eventsIn))]
  const world: World = { ...parts, model: model.newModel(), people, events, boundaries: [] }
  world.model.members.push(...people.map(({ participant_id }) => participant_id))
  world.model.sessions.push(...people.map(({ session_id }) => session_id))
  mark(world)
  return world
}

function mark({ boundaries, simulated, model: wanted, events }: World): void {
  boundaries.push({ at: simulated.changes.length, digest: model.digestOf(wanted), events: [...events] })
}

/** One call, and what the model says of it. Gives where they differ. */
async function step(world: World): Promise<readonly string[]> {
  const { chance, room } = world
  const [name, act] = STEPS[chance.below(STEPS.length)] ?? ['', async () => undefined]
  const before = world.events.length
  let reason: string | undefined
  let outcome: model.Outcome | undefined
  try {
    outcome = await act(world, (given) => {
      outcome = given
    })
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    reason = thrown.reason
  }
  if (outcome === undefined) return reason === undefined ? [] : [`${name} was refused with ${reason}`]
  world.events.push(...(outcome.events ?? []))
  const wantedReason = 'reason' in outcome ? outcome.reason : undefined
  mark(world)
  const { events, digest } = await room.readAsSystem((rows) => ({
    events: eventsIn(rows).slice(before),
    digest: digestIn(rows),
  }))
  const wanted = world.events.slice(before)
  const faults: string[] = []
  if (reason !== wantedReason) faults.push(`${name} was refused with ${reason}, not ${wantedReason}`)
  if (JSON.stringify(events) !== JSON.stringify(wanted))
    faults.push(`${name} told ${JSON.stringify(events)}, not ${JSON.stringify(wanted)}`)
  if (digest !== world.boundaries.at(-1)?.digest)
    faults.push(`after ${name} the rows are ${digest}, not ${world.boundaries.at(-1)?.digest}`)
  return faults
}

/** What a recovery must find: the room after a call that was answered before the cut, or after the one under way. */
function faultsOf(rows: Rows, boundaries: readonly Boundary[], at: number): readonly string[] {
  const events = eventsIn(rows)
  const found = boundaries.findLastIndex((one) => one.events.length === events.length)
  const least = boundaries.findLastIndex((one) => one.at <= at)
  if (found < 0) return least < 0 ? [] : [`${events.length} events are between two calls`]
  if (found < least) return [`call ${least} was answered, and ${found} is the last that is there`]
  // Calls without an event leave the same room.
  const same = boundaries.filter((one) => one.events.length === events.length)
  const faults: string[] = []
  if (JSON.stringify(events) !== JSON.stringify(same[0]?.events)) faults.push('other events are there')
  if (!same.some((one) => one.digest === digestIn(rows))) faults.push(`the rows are ${digestIn(rows)}`)
  return faults
}

function eventsIn(rows: Rows): readonly string[] {
  return listed<RoomEvent>(rows, 'event_after', { since: 0, limit: 5000 }).map(
    ({ event_type, payload, version }) => {
      const { proposal_id, lease_id, handoff_id, participant_id } = payload
      const isCommit = event_type === 'change.committed'
      return `${event_type} ${isCommit ? `v${version}` : (handoff_id ?? lease_id ?? proposal_id ?? participant_id ?? '')}`
    },
  )
}

function digestIn(rows: Rows): string {
  const all = { before: Number.MAX_SAFE_INTEGER, limit: 5000, status: undefined }
  const pairs = (statement: string, key: string): readonly unknown[] =>
    listed<Record<string, unknown>>(rows, statement, all)
      .map((row) => [row[key], row['status']])
      .sort()
  return JSON.stringify({
    version: rows.document.version,
    text: rows.documentText(),
    fence: Number(rows.one('workspace_get')?.['fence']),
    proposals: pairs('proposal_page', 'proposal_id'),
    leases: leaseStates(rows),
    handoffs: listed<Handoff>(rows, 'handoff_page', all)
      .map(({ handoff_id, status }) => [handoff_id, status])
      .sort(),
    members: listed<Participant>(rows, 'participant_present')
      .map(({ participant_id }) => participant_id)
      .sort(),
    sessions: listed<Session>(rows, 'session_open')
      .map(({ session_id }) => session_id)
      .sort(),
  })
}

function leaseStates(rows: Rows): readonly unknown[] {
  const ids = new Set<string>()
  for (const { payload } of listed<RoomEvent>(rows, 'event_after', { since: 0, limit: 5000 }))
    if (typeof payload['lease_id'] === 'string') ids.add(payload['lease_id'])
  return [...ids].map((id) => [id, JSON.parse(String(rows.one('lease_get', { id })?.['json'])).status]).sort()
}
