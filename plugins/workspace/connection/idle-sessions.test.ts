import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinLocally } from '../room/members.ts'
import { status } from '../room/views.ts'
import { openTestRoom } from '../testing/test-room.ts'
import { createIdleSessions } from './idle-sessions.ts'

test('a session of this machine whose process has ended ends after two minutes, and no other does', async (t) => {
  const room = await openTestRoom(t)
  const start = Date.UTC(2026, 10, 20, 13) * 1000
  let minutes = 0
  const idle = createIdleSessions(room.room, () => start + minutes * 60_000_000)
  const local = (name: string) =>
    room.room.changeAsSystem((change) => {
      const wish = {
        name,
        kind: 'agent',
        capabilities: ['read'],
        audience: 'local',
        transport: 'stdio',
      } as const
      return joinLocally(change, wish)
    })
  const [dead, busy, own] = [await local('dead'), await local('busy'), await local('own')]
  await room.join('elsewhere')
  idle.keep(own.session_id)

  const first = await room.emitted(() => idle.sweep())
  minutes = 1.9
  idle.touch(busy.session_id)
  const early = await room.emitted(() => idle.sweep())
  minutes = 2
  const due = await room.emitted(() => idle.sweep())
  const again = await room.emitted(() => idle.sweep())

  assert.deepEqual([first, early, due, again], [[], [], ['session.expired'], []])
  const ended = (await room.events()).at(-1)
  assert.deepEqual(ended?.payload, { participant_id: dead.participant_id, status: 'expired' })
  assert.equal(await room.look(busy, (view) => status(view).counts.participants), 4)
})
