import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { newRoomName, openRoomDatabase } from '../../../../plugins/workspace/testing/room-database.ts'
import { temporaryFolder } from '../../../../test/harness/index.ts'
import { type PostgresServer, startPostgres } from '../../../../test/postgres-server.ts'
import { openWay } from '../../../../test/postgres-way.ts'
import { createChance } from '../../chance.ts'
import { DATABASE_FAULTS, earlyOwners, FROZEN_MS, watchOwners } from '../../testing/database-faults.ts'
import type { RoomBug } from './bugs.ts'
import { emptyRoomStory, newRoomWorker, type RoomStory, type RoomWorker, roomFindings } from './torture.ts'

const SEED = Number(process.env['SEED'] ?? 20_261_125)
const LEASE_MS = 1_500
/** Acknowledged changes before the next fault: the room goes on after each. */
export const PROGRESS = 4
/** How often a fault meets the owner, not just any process. */
const OWNER_SHARE = 0.7
const START_TEXT = '# Plan\n'

interface Stage {
  readonly server: PostgresServer
  readonly way: Awaited<ReturnType<typeof openWay>>
  readonly worker: RoomWorker
}

type Fault = (stage: Stage) => Promise<void>

export const ROOM_FAULTS: Readonly<Record<string, Fault>> = {
  'a process is killed': async ({ worker }) => {
    await worker.kill()
    await worker.start()
  },
  'a process is stopped for longer than a lease': async ({ worker }) => {
    const frozen = worker.pause()
    await wait(LEASE_MS + FROZEN_MS)
    frozen.resume()
  },
  'a connection is cut when the server has committed': async ({ way }) => way.cut('answer'),
  'a connection is cut before the server has the change': async ({ way }) => way.cut('request'),
  ...DATABASE_FAULTS,
}

interface Run {
  readonly faults: number
  readonly kinds: readonly string[]
  readonly bug?: RoomBug
}

/** Plays the faults under processes that contend for one room; gives what they said, with everything that is wrong. */
export async function playRoomFaults(
  t: TestContext,
  { faults, kinds, bug }: Run,
): Promise<RoomStory | undefined> {
  const server = await startPostgres(t)
  if (!server) return undefined
  const database = await openRoomDatabase(t, server.url)
  watchOwners(server)
  const way = await openWay(t, server, 'room_records (')
  const story = emptyRoomStory(START_TEXT)
  const name = newRoomName()
  const files = await newFiles(t, ['shared', 'own'])
  const [shared = '', own = ''] = files
  const workers = [shared, shared, own].map((file, n) =>
    newRoomWorker(t, story, { url: way.url, room: name, file, seed: SEED + n, leaseMs: LEASE_MS, bug }),
  )
  await Promise.all(workers.map((worker) => worker.start()))
  const chance = createChance(SEED)
  for (let n = 0; n < faults && story.findings.length === 0; n++) {
    await progress(story, story.acknowledged.size + PROGRESS)
    await wait(chance.below(20))
    const worker = chance.maybe(OWNER_SHARE) ? story.owner : workers[chance.below(workers.length)]
    assert.ok(worker)
    await ROOM_FAULTS[kinds[n % kinds.length] ?? '']?.({ server, way, worker })
  }
  await progress(story, story.acknowledged.size + PROGRESS)
  await Promise.all(workers.map((worker) => worker.kill()))
  server.sql("update satchel.rooms set lease_until = '-infinity'")
  story.findings.push(...(await roomFindings(story, { database, name, files })))
  story.findings.push(...earlyOwners(server))
  t.diagnostic(
    `seed ${SEED}: ${faults} faults, ${story.acknowledged.size} changes acknowledged by ${story.ownerships} owners`,
  )
  return story
}

/** Until so many changes were acknowledged, or something is wrong; a room that does not go on is wrong too. */
async function progress(story: RoomStory, until: number): Promise<void> {
  const deadline = Date.now() + 120_000
  while (story.acknowledged.size < until && story.findings.length === 0) {
    if (Date.now() > deadline) story.findings.push('the room acknowledged nothing for two minutes')
    await wait(5)
  }
}

async function newFiles(t: TestContext, names: readonly string[]): Promise<readonly string[]> {
  const folder = await temporaryFolder(t)
  return names.map((name) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'plan.md'), START_TEXT)
    return join(folder, name, 'plan.md')
  })
}
