import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemSurroundings } from '../plugins/workspace/engine/room-lock.ts'
import { openTestRoom } from '../plugins/workspace/testing/test-room.ts'
import { temporaryFolder } from './harness/index.ts'
import { spawnRoomProcess } from './workspace-process.ts'

test('a process that was stopped, taken for dead and resumed answers nothing of the room it lost, and goes on in it when it is free', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'plan.md')
  await writeFile(file, '# Plan\n')
  const first = spawnRoomProcess(t, { name: 'first', args: ['--room', file, '--profile', 'full'] })
  const propose = (summary: string) =>
    first.call('workspace_propose', { base_version: 1, summary, content: 'c' })
  await propose('before')

  first.child.kill('SIGSTOP')
  const asDead = { ...systemSurroundings, accepts: async () => false, isRunning: () => false }
  const now = { micros: Date.now() * 1000 } // the first one's session is to be as old here as it is
  const successor = await openTestRoom(t, { folder, now, seams: { surroundings: asDead } })
  const late = propose('late')
  first.child.kill('SIGCONT')
  const { error } = (await late) as { error?: { reason: string } }
  const kept = await successor.events()
  await successor.close()
  const after = await propose('after')
  const { proposals } = (await first.call('workspace_proposals', {})) as { proposals: { summary: string }[] }

  assert.ok(['store_poisoned', 'room_starting'].includes(error?.reason ?? 'none'), JSON.stringify(error))
  const created = kept.filter(({ event_type }) => event_type === 'proposal.created')
  assert.deepEqual(
    created.map(({ payload }) => payload['summary']),
    ['before'],
  )
  assert.equal(after['status'], 'pending')
  assert.deepEqual(proposals.map(({ summary }) => summary).sort(), ['after', 'before'])
})
