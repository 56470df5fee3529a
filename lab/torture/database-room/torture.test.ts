import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROGRESS, playRoomFaults, ROOM_FAULTS } from './testing/faults.ts'

const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 40)

test(`processes that share a room of the database lose nothing that was acknowledged in ${FAULTS} faults, and have one owner at a time`, async (t) => {
  const story = await playRoomFaults(t, { faults: FAULTS, kinds: Object.keys(ROOM_FAULTS) })
  if (!story) return

  assert.deepEqual(story.findings, [])
  assert.ok(story.acknowledged.size >= FAULTS * PROGRESS)
})
