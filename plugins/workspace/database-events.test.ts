import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { CallContext } from '../../server/contract/context.ts'
import { temporaryFolder } from '../../test/harness/index.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import type { RoomAccess } from './connection/room-access.ts'
import { openDatabaseRoom } from './engine/open-database-room.ts'
import type { RoomOptions } from './engine/open-room.ts'
import { createFeed, observeStream } from './feed.ts'
import type { Joined } from './room/members.ts'
import { newRoomName, openRoomDatabase } from './testing/room-database.ts'
import { openTestRoom, type TestRoom } from './testing/test-room.ts'

const KEPT = 2_000 // spec workspace-events, rule 10
/** Longer than a busy machine keeps an owner from renewing its lease. */
const LEASE_MS = 600_000

/** What a stream at `room` replays to a reader with this cursor. */
async function replayed({ room }: TestRoom, { session_id }: Joined, cursor: number) {
  const access = { session: async () => ({ room, sessionId: session_id }) } as unknown as RoomAccess // all it needs
  const stream = observeStream(access, () => createFeed())
  const inbox = { offer() {}, end() {} }
  const reading = await stream.open({} as CallContext, String(cursor), inbox)
  const frames: string[] = []
  for await (const frame of reading.replay) frames.push(frame.toString())
  reading.close()
  return {
    resyncs: frames.filter((frame) => frame.startsWith('event: resync')).length,
    ids: frames.flatMap((frame) =>
      frame.startsWith('id: ') ? [Number(frame.slice(4, frame.indexOf('\n')))] : [],
    ),
  }
}

async function happens({ room }: TestRoom, times: number): Promise<void> {
  for (let done = 0; done < times; done += 100) {
    const group = Array.from({ length: 100 }, () =>
      room.changeAsSystem((change) => change.emit({ type: 'workspace.started', payload: {} })),
    )
    await Promise.all(group)
  }
}

async function openMachine(
  t: TestContext,
  open: (options: RoomOptions) => ReturnType<typeof openDatabaseRoom>,
) {
  const folder = await temporaryFolder(t)
  writeFileSync(join(folder, 'plan.md'), '# Plan\n')
  return openTestRoom(t, { folder, open, now: { micros: Date.UTC(2026, 10, 20, 13) * 1000 } })
}

test('a cursor is good at the next owner of a room in the database, and one that is too old gets a resync', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const database = await openRoomDatabase(t, server.url)
  const name = newRoomName()
  const open = (options: RoomOptions) =>
    openDatabaseRoom({ ...options, database, name, runtimeDir: undefined, leaseMs: LEASE_MS })
  const first = await openMachine(t, open)
  const reader = await first.join('reader')
  await happens(first, 2_100)
  const before = await replayed(first, reader, await first.latest())
  const [latest, seen] = [await first.latest(), (await first.latest()) - 500]
  // As if its lease had ended: it is not asked to stop.
  server.sql("update satchel.rooms set lease_until = '-infinity'")

  const second = await openMachine(t, open)
  await happens(second, 100)
  const now = await second.latest()
  const crossing = await replayed(second, reader, seen)
  const old = await replayed(second, reader, 5)
  const ahead = await replayed(second, reader, now + 10)

  const from = (least: number): readonly number[] =>
    Array.from({ length: now - least }, (_, at) => least + 1 + at)
  assert.deepEqual(before, { resyncs: 0, ids: [] })
  assert.ok(now > latest + 100)
  assert.deepEqual(crossing, { resyncs: 0, ids: from(seen) })
  assert.deepEqual(old, { resyncs: 1, ids: from(now - KEPT) })
  // As after a standby took over without the last commits.
  assert.deepEqual(ahead, { resyncs: 1, ids: [] })
})
