import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOM_BUGS, type RoomBug } from './testing/bugs.ts'
import { playRoomFaults } from './testing/faults.ts'

const KINDS_FOR: Readonly<Record<RoomBug, readonly string[]>> = {
  'the fence is not checked': ['every connection is cut'],
  'the lease is judged by the clock of the client': ['every connection is cut'],
  'a change is acknowledged before its commit': ['the database is killed', 'a process is killed'],
}

for (const bug of Object.keys(ROOM_BUGS) as RoomBug[]) {
  test(`the torture of a room finds the planted bug: ${bug}`, async (t) => {
    const story = await playRoomFaults(t, { faults: 12, kinds: KINDS_FOR[bug], bug })
    if (!story) return

    assert.notDeepEqual(story.findings, [])
    t.diagnostic(story.findings[0] ?? '')
  })
}
