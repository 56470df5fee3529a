import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TaskState } from '../../../server/contract/advanced/task.ts'
import type { TestHost } from '../../../test/harness/index.ts'
import { ingested, openStage } from '../testing/network-project.ts'

/** The task once it no longer works. */
async function ended(opened: TestHost, task: TaskState): Promise<TaskState | undefined> {
  const { tasks } = opened.host.registry.tasks[0] ?? {}
  let state: TaskState | undefined = task
  while (state?.status === 'working') {
    await sleep(25)
    state = await tasks?.get(opened.context().principal, task.taskId)
  }
  return state
}

test('an ingest as a task is on disk immediately, and its answer can be fetched later', async (t) => {
  const { opened, root } = await openStage(t)
  const { tasks } = opened.host.registry.tasks[0] ?? {}
  const ctx = opened.context()

  const { task } = (await opened.call('ingest_modules', {}, { acceptsTask: true })) as { task: TaskState }
  const files = await readdir(join(root, 'output', '.satchel', 'tasks'))
  const state = await ended(opened, task)

  assert.match(task.taskId, /^task_[0-9a-f]{32}$/)
  assert.deepEqual(files, [`${task.taskId}.json`])
  assert.equal(state?.status, 'completed')
  assert.ok(state?.outcome && 'data' in state.outcome)
  assert.equal((state.outcome.data as { written: number }).written, 5)
  assert.equal(await tasks?.get({ ...ctx.principal, id: 'another caller' }, task.taskId), undefined)
  assert.equal(await tasks?.get(ctx.principal, `task_${'0'.repeat(32)}`), undefined)
})

test('a task whose process has ended reads as interrupted', async (t) => {
  const { opened, root } = await ingested(t)
  const { tasks } = opened.host.registry.tasks[0] ?? {}
  const { task } = (await opened.call('ingest_modules', {}, { acceptsTask: true })) as { task: TaskState }
  await ended(opened, task)
  const folder = join(root, 'output', '.satchel', 'tasks')
  const [name = ''] = await readdir(folder)
  const row = JSON.parse(await readFile(join(folder, name), 'utf8'))
  const orphan = {
    ...row,
    pid: 2 ** 22 + 1,
    start: '1',
    task: { ...row.task, taskId: `task_${'a'.repeat(32)}`, status: 'working' },
  }
  await writeFile(join(folder, `${orphan.task.taskId}.json`), JSON.stringify(orphan))

  const state = await tasks?.get(opened.context().principal, orphan.task.taskId)

  assert.equal(state?.status, 'failed')
  assert.match(state?.failure ?? '', /interrupted; call ingest_modules again/)
})
