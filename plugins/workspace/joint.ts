import { basename } from 'node:path'
import {
  backgroundCall,
  type CallContext,
  confineTo,
  type Host,
  isSatchelError,
} from '../../server/plugin.ts'
import type { RoomSession } from './connection/room-access.ts'
import type { RequirementCheck } from './domain/handoff.ts'
import { LIMITS } from './domain/limits.ts'
import { refusals } from './reasons.ts'
import { workspaceRow } from './room/change.ts'
import type { Room } from './room/room.ts'
import { handoffs, proposals } from './room/tables.ts'
import type { View } from './room/views.ts'
import { ROOM_DECISION } from './room-evidence.ts'

/** What the room asks of other plugins about its handoffs, all of it through the host. Without them a room works as before. */
export interface Joint {
  /** Errors: `invalid`/`invalid_request` for requirements that no plugin checks, and for a record that is not there. */
  accepts(input: Asked): Promise<void>
  /** Checks what a handoff requires of a result; nothing where it requires nothing. Never rejects for a failed check. */
  check(session: RoomSession, handoffId: string, result?: ResultText): Promise<readonly RequirementCheck[]>
  /** Resumes the record of a handoff for the session of a caller of this OS user. */
  resume(ctx: CallContext, handoff: Pick<Asked, 'record_id'>): Promise<Resumed | undefined>
  /** Leaves a record of a decision; once for each handoff. Returns the handoff with it, or with why there is none. */
  settle(
    session: RoomSession,
    handoffId: string,
  ): Promise<{ readonly left_record?: string; readonly hint?: string }>
}

interface Asked {
  readonly record_id?: string | undefined
  readonly requires?: readonly string[] | undefined
}

/** What a result consists of. */
interface ResultText {
  readonly proposal_id?: string | undefined
  readonly result?: string | undefined
}

/** The record as the acceptor gets it. */
export interface Resumed {
  readonly id: string
  readonly gate?: string
  readonly brief?: string
  /** Why it could not be resumed. */
  readonly problem?: string
}

/** Makes the joint; asks nothing. */
export function createJoint(host: Host): Joint {
  const { projectRoot: root, evidence } = host
  // The room itself decides and writes, not the caller: the record belongs to the user whose room this is.
  const own = backgroundCall({
    principal: { id: 'local', kind: 'local', capabilities: [] },
    signal: host.signal,
    log: host.log,
    door: 'http',
    resolvePath: confineTo([root], root),
  })
  return {
    async accepts({ record_id, requires = [] }) {
      if (requires.length > 0) {
        // A decision of a room says nothing about a result that waits for one.
        const names = (await evidence.names()).filter((name) => name !== ROOM_DECISION)
        const name = requires.find((one) => !names.includes(one))
        if (name !== undefined)
          throw refusals.requirement_unknown({ name: name.slice(0, 40), names: names.join(', ') || 'none' })
      }
      if (requires.includes('fresh') && record_id === undefined) throw refusals.requirement_record()
      if (record_id === undefined) return
      const why = await problemOf(() => host.callTool('handoff_get', { id: record_id, pointer: '/id' }, own))
      if (why !== undefined) throw refusals.record_id_unknown({ why })
    },
    async check({ room, sessionId }, handoffId, result) {
      const {
        requires = [],
        record_id,
        text,
      } = await room.read(sessionId, (view) => subjectOf(view, handoffId, result))
      return Promise.all(
        requires.map(async (requirement): Promise<RequirementCheck> => {
          try {
            const { verdict, reason } = await evidence.capture(requirement, { text, record: record_id }, root)
            return { requirement, verdict, reason }
          } catch (thrown) {
            if (!isSatchelError(thrown))
              host.log.warn('a requirement could not be checked', { error: thrown })
            const reason = isSatchelError(thrown) ? thrown.message : 'the check failed'
            return { requirement, verdict: 'unverifiable', reason }
          }
        }),
      )
    },
    async resume(ctx, { record_id: id }) {
      if (id === undefined || ctx.localTransport === undefined) return undefined
      try {
        const resumed = await host.callTool('handoff_resume', { id }, ctx)
        if (resumed === undefined) return { id, problem: 'No plugin here keeps handoff records.' }
        const { brief, freshness } = resumed as { brief: string; freshness: { gate: string } } // the tool's output schema
        return { id, gate: freshness.gate, brief }
      } catch (thrown) {
        if (!isSatchelError(thrown)) throw thrown
        return { id, problem: thrown.message }
      }
    },
    async settle({ room, sessionId }, handoffId) {
      const told = await room.read(sessionId, (view) => toldBy(view, handoffId))
      if (told === undefined) return {}
      if (told.handoff.left_record !== undefined) return { left_record: told.handoff.left_record }
      try {
        const id = await leave(host, own, told.input)
        if (id === undefined) return { hint: 'No plugin here keeps handoff records: none was left.' }
        await release(host, own, id)
        await note(room, handoffId, id)
        return { left_record: id }
      } catch (thrown) {
        if (!isSatchelError(thrown)) throw thrown
        return { hint: `No record was left: ${thrown.message} Repeat the review to try again.` }
      }
    },
  }
}

async function problemOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    return (await call()) === undefined ? 'no plugin here keeps them.' : undefined
  } catch (thrown) {
    if (isSatchelError(thrown)) return thrown.message
    throw thrown
  }
}

/** What the requirements of a handoff are checked on: the text of its proposal, else of its result. */
function subjectOf({ rows }: View, handoffId: string, given?: ResultText) {
  const handoff = handoffs.get(rows, handoffId)
  const { proposal_id, result } = given ?? handoff
  const proposal = proposal_id === undefined ? undefined : proposals.get(rows, proposal_id)
  const text = (proposal && rows.body(proposal.content_hash)) ?? result ?? ''
  return { ...handoff, text }
}

/** The record of a decision, for a handoff that continues a record. */
function toldBy({ rows, path }: View, handoffId: string) {
  const handoff = handoffs.get(rows, handoffId)
  const { record_id, status, title, objective, result_summary = '', reason, proposal_id } = handoff
  if (record_id === undefined || (status !== 'approved' && status !== 'rejected')) return undefined
  const room = {
    file: basename(path),
    workspace_id: workspaceRow(rows).workspace_id,
    handoff_id: handoffId,
    ...(proposal_id !== undefined && { proposal_id }),
    decision: status,
    version: handoff.decided_version ?? rows.document.version,
    event_ids: handoff.event_ids ?? [],
  }
  const said = [result_summary, ...(reason === undefined ? [] : [`Review: ${reason}`])].join(' ')
  const outcome =
    status === 'approved'
      ? { completed: [`${title}: ${said}`] }
      : {
          failed_attempts: [
            {
              approach: `${title}: ${result_summary}`,
              reason: (reason ?? 'rejected without a reason').slice(0, LIMITS.reasonChars),
            },
          ],
        }
  const overrides = {
    title,
    objective,
    current_state: `${status === 'approved' ? 'Approved' : 'Rejected'} in the room ${room.file}: ${said}`,
    ...outcome,
    extra: { lineage: { room } },
    idempotency_key: `room ${room.workspace_id} ${handoffId} ${status}`,
  }
  const input = { id: record_id, relation: 'fork', branch_label: `room: ${title}`.slice(0, 200), overrides }
  return { handoff, input }
}

/** The record of a decision; undefined without a plugin that keeps them. */
async function leave(host: Host, ctx: CallContext, input: Readonly<Record<string, unknown>>) {
  try {
    const left = await host.callTool('handoff_branch', input, ctx)
    return typeof left?.['id'] === 'string' ? left['id'] : undefined
  } catch (thrown) {
    // An earlier try left it, and the room has moved on since.
    const isThere = isSatchelError(thrown) && thrown.reason === 'idempotency_mismatch'
    const id = isThere ? thrown.details?.['id'] : undefined
    if (typeof id === 'string') return id
    throw thrown
  }
}

/** Releases the record, so that other sessions find it. One that does not pass its checks stays a draft. */
async function release(host: Host, ctx: CallContext, id: string): Promise<void> {
  const accept_warnings = 'The review in the room decided.'
  try {
    await host.callTool('handoff_transition', { id, to: 'validated' }, ctx)
    await host.callTool('handoff_transition', { id, to: 'ready', accept_warnings }, ctx)
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    host.log.info('the record of a review stays a draft', { id, reason: thrown.reason })
  }
}

async function note(room: Room, handoffId: string, left_record: string): Promise<void> {
  await room.changeAsSystem(({ tx }) => {
    handoffs.put(tx, { ...handoffs.get(tx, handoffId), left_record })
  })
}
