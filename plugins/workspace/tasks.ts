import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import {
  isSatchelError,
  type Principal,
  type Route,
  type TaskState,
  type Tasks,
} from '../../server/plugin.ts'
import { LinkLost } from './connection/link.ts'
import { LOST_PAUSE_MS } from './connection/local-session.ts'
import { lostOwner } from './connection/lost-owner.ts'
import type { RoomSession } from './connection/room-access.ts'
import type { RoomConnection } from './connection/room-connection.ts'
import type { RequirementCheck } from './domain/handoff.ts'
import { sessionIdOf } from './domain/session.ts'
import type { Joint } from './joint.ts'
import { refusals } from './reasons.ts'
import type { ActorChange } from './room/change.ts'
import { answerTask, cancelTask, findTask } from './room/tasks.ts'
import { handoffOfTask } from './room/views.ts'
import { json, jsonBody, sessionOfRequest } from './routes/json-route.ts'
import { ROOM_LISTENERS } from './tools/room-tool.ts'
import { HANDOFF } from './tools/shapes.ts'

const TASK_ID = /^task_[0-9a-f]{32}$/

const ACT = z.object({
  kind: z.enum(['get', 'update', 'cancel']),
  responses: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('To update: answers by key of inputRequests'),
})
const TASK = z.object({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string(),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
  ttlMs: z.number().nullable(),
  pollIntervalMs: z.number(),
  outcome: z
    .union([z.object({ data: HANDOFF }), z.object({ error: z.looseObject({ code: z.string() }) })])
    .optional(),
  inputRequests: z.record(z.string(), z.unknown()).optional(),
})

/** The action on a task, before its state is returned. */
type TaskAct =
  | { readonly kind: 'get' | 'cancel' }
  | { readonly kind: 'update'; readonly responses: Responses }
type Responses = Readonly<Record<string, unknown>>

/** The tasks of the room's handoffs. Unknown, foreign and unauthorized ids all return undefined. */
export function roomTasks(connection: RoomConnection, joint: Joint): Tasks {
  const ask = async (principal: Principal, taskId: string, act: TaskAct): Promise<TaskState | undefined> => {
    const sessionId = sessionIdOf(principal)
    if (sessionId === undefined || !TASK_ID.test(taskId)) return undefined
    try {
      return await askOwner({ connection, joint }, sessionId, taskId, act)
    } catch (thrown) {
      if (isSatchelError(thrown) && ['unauthorized', 'not_found'].includes(thrown.code)) return undefined
      throw thrown
    }
  }
  return {
    get: (principal, taskId) => ask(principal, taskId, { kind: 'get' }),
    update: (principal, taskId, responses) => ask(principal, taskId, { kind: 'update', responses }),
    cancel: (principal, taskId) => ask(principal, taskId, { kind: 'cancel' }),
  }
}

/**
 * Asks the owner of the room, and asks again when that process ends meanwhile: cancel and review are idempotent.
 * Errors: `unavailable`/`room_owner_lost` when no process took over in time.
 */
async function askOwner(
  { connection, joint }: { readonly connection: RoomConnection; readonly joint: Joint },
  sessionId: string,
  taskId: string,
  act: TaskAct,
): Promise<TaskState | undefined> {
  const began = performance.now()
  for (;;) {
    const link = await connection.remoteOwner(sessionId)
    if (!link) {
      const { room } = await connection.owner('stdio')
      return taskAt({ room, sessionId }, joint, taskId, act)
    }
    try {
      return (await link.post(`/workspace/tasks/${taskId}`, act)) as TaskState // the result of the route below
    } catch (thrown) {
      if (!(thrown instanceof LinkLost)) throw thrown
      if (performance.now() - began > link.limitMs) throw lostOwner(thrown)
      link.lost()
      await pause(LOST_PAUSE_MS)
    }
  }
}

/** `POST /workspace/tasks/{task_id}`: the same for a process that reaches the room through its owner. */
export function taskRoute(connection: RoomConnection, joint: Joint): Route {
  return {
    method: 'POST',
    path: '/workspace/tasks/{task_id}',
    listeners: ROOM_LISTENERS,
    guard: 'bearer-or-cookie',
    document: {
      operationId: 'workspace-task',
      summary: 'Read, answer or cancel the task of a handoff',
      body: ACT,
      answer: TASK,
    },
    async handle(ctx, request) {
      const sessionId = sessionOfRequest(ctx)
      const room = await connection.visit(sessionId)
      const found = await taskAt(
        { room, sessionId },
        joint,
        ctx.params['task_id'] ?? '',
        actOf(await jsonBody(request)),
      )
      if (!found) throw refusals.task_not_found()
      return json(found)
    },
  }
}

function actOf(body: Readonly<Record<string, unknown>>): TaskAct {
  const { kind, responses } = body
  if (kind === 'get' || kind === 'cancel') return { kind }
  if (kind === 'update' && typeof responses === 'object' && responses !== null) {
    return { kind, responses: responses as Responses } // an object: checked right before
  }
  throw refusals.task_kind()
}

async function taskAt(
  session: RoomSession,
  joint: Joint,
  taskId: string,
  act: TaskAct,
): Promise<TaskState | undefined> {
  const { room, sessionId } = session
  const known = await room.read(sessionId, (view) => handoffOfTask(view, taskId))
  if (!known) return undefined
  if (act.kind !== 'get') {
    const checks = act.kind === 'update' ? await joint.check(session, known.handoff_id) : []
    await room.change(sessionId, `tasks_${act.kind}`, {}, (change) => applied(change, taskId, act, checks))
    await joint.settle(session, known.handoff_id)
  }
  return room.read(sessionId, (view) => findTask(view, taskId))
}

function applied(change: ActorChange, taskId: string, act: TaskAct, checks: readonly RequirementCheck[]) {
  const handoff = handoffOfTask({ rows: change.tx, actor: change.actor }, taskId)
  if (!handoff) return undefined
  return act.kind === 'update'
    ? answerTask(change, handoff, act.responses, checks)
    : cancelTask(change, handoff)
}
