import type { Principal, TaskState, Tasks } from '../../server/plugin.ts'
import { isSatchelError } from '../../server/plugin.ts'
import { sessionIdOf } from './house/credentials.ts'
import type { House } from './house/house.ts'
import type { Room } from './room/room.ts'
import { answerTask, cancelTask, findTask } from './room/tasks.ts'
import { handoffOfTask } from './room/views.ts'

/** The tasks of the room's handoffs. Unknown, foreign and unauthorized ids give the same nothing. */
export function roomTasks(house: House): Tasks {
  const at = async (
    principal: Principal,
    taskId: string,
    act: (room: Room, sessionId: string) => Promise<unknown>,
  ): Promise<TaskState | undefined> => {
    const sessionId = sessionIdOf(principal)
    if (sessionId === undefined || !/^task_[0-9a-f]{32}$/.test(taskId)) return undefined
    try {
      const { room } = await house.owner('stdio')
      const known = await room.read(sessionId, (view) => handoffOfTask(view, taskId))
      if (!known) return undefined
      await act(room, sessionId)
      return await room.read(sessionId, (view) => findTask(view, taskId))
    } catch (thrown) {
      if (isSatchelError(thrown) && thrown.code === 'unauthorized') return undefined
      throw thrown
    }
  }
  return {
    get: (principal, taskId) => at(principal, taskId, async () => undefined),
    update: (principal, taskId, responses) =>
      at(principal, taskId, (room, sessionId) =>
        room.change(sessionId, 'tasks_update', {}, (change) => {
          const handoff = handoffOfTask({ rows: change.tx, actor: change.actor }, taskId)
          return handoff && answerTask(change, handoff, responses)
        }),
      ),
    cancel: (principal, taskId) =>
      at(principal, taskId, (room, sessionId) =>
        room.change(sessionId, 'tasks_cancel', {}, (change) => {
          const handoff = handoffOfTask({ rows: change.tx, actor: change.actor }, taskId)
          return handoff && cancelTask(change, handoff)
        }),
      ),
  }
}
