import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type PostgresServer,
  type RunningServer,
  type Standby,
  startPostgres,
} from '../../../../test/postgres-server.ts'
import { openWay } from '../../../../test/postgres-way.ts'
import {
  emptyStory,
  findingsAt,
  type Story,
  startReader,
  startWriter,
} from '../../../../test/replica-torture.ts'
import { type Answered, askAt, openTeam, type Replica } from '../../../../test/replicas.ts'
import { inviteAt, joinAt, ownerOf } from '../../../../test/room-replicas.ts'
import type { openSmallDisk } from '../../../../test/small-disk.ts'
import { createChance } from '../../chance.ts'
import { DATABASE_FAULTS, earlyOwners, FROZEN_MS, watchOwners } from '../../testing/database-faults.ts'
import { endWorkersLeases, type IngestWorker, ingestFindings, openIngest } from './ingest-story.ts'
import { emptyRoomStory, roomFindingsAt, startRoomReader, startRoomWriter } from './room-story.ts'

const SEED = Number(process.env['SEED'] ?? 20_261_124)
/** Acknowledged changes before the next fault: the team goes on working after each. */
const PROGRESS = 4
/** Of the room: some faults are about its owner. */
const ROOM_PROGRESS = 1
const GIVE_UP_MS = 180_000
/** Each look at the database starts a program. */
const LOOK_MS = 250
const SETTINGS = 'workspace: { file: plan.md, database: shop }\ncatalogue: team\n'

interface Stage {
  /** The present primary. */
  readonly server: RunningServer
  readonly way: Awaited<ReturnType<typeof openWay>>
  readonly replica: Replica
  readonly worker: IngestWorker
  /** Follows the primary; undefined where none does. */
  readonly standby: Standby | undefined
  /** Kills the primary; its standby goes on, with a standby of its own. */
  promote(): Promise<void>
  /** Of the room; undefined while it has none. */
  owner(): Replica | undefined
  /** Notes a record that was acknowledged. */
  created(title: string, id: string): void
}

type Fault = (stage: Stage) => Promise<void>

/** Faults of the servers and of their connections. */
export const REPLICA_FAULTS: Readonly<Record<string, Fault>> = {
  'a replica is killed': async ({ replica }) => {
    await replica.kill()
    await replica.start()
  },
  'a replica is told to stop': async ({ replica }) => {
    assert.equal(await replica.stop(), 0, replica.log())
    await replica.start()
  },
  'a replica hangs': async ({ replica }) => {
    const frozen = replica.pause()
    await wait(FROZEN_MS)
    frozen.resume()
  },
  'a connection is cut when the server has committed': async ({ way }) => way.cut('answer'),
  'a connection is cut before the server has the change': async ({ way }) => way.cut('request'),
}

/** Faults of the server that owns the room. */
export const OWNER_FAULTS: Readonly<Record<string, Fault>> = {
  'the owner of the room is killed': async ({ owner, replica }) => {
    const killed = owner() ?? replica
    await killed.kill()
    await killed.start()
  },
  'the owner of the room hangs beyond its lease': async ({ owner }) => {
    const hanging = owner()
    if (!hanging) return
    const frozen = hanging.pause()
    const deadline = Date.now() + GIVE_UP_MS
    for (let next = owner(); !next || next === hanging; next = owner()) {
      assert.ok(Date.now() < deadline, 'no other server took the room')
      await wait(LOOK_MS)
    }
    frozen.resume()
  },
}

/** Faults of the workers of an ingest. */
export const WORKER_FAULTS: Readonly<Record<string, Fault>> = {
  'a worker is killed': async ({ worker, server }) => {
    await worker.kill()
    endWorkersLeases(server)
    await worker.start()
  },
  'a worker hangs beyond its leases': async ({ worker, server }) => {
    const frozen = worker.pause()
    endWorkersLeases(server)
    await wait(FROZEN_MS)
    frozen.resume()
  },
}

/** Faults of all that works together without a standby. */
export const TEAM_FAULTS = { ...REPLICA_FAULTS, ...DATABASE_FAULTS, ...OWNER_FAULTS, ...WORKER_FAULTS }

/** Faults of a database with a synchronous standby. */
export const STANDBY_FAULTS: Readonly<Record<string, Fault>> = {
  'the standby hangs': async ({ standby }) => {
    const frozen = standby?.pause()
    await wait(FROZEN_MS)
    frozen?.resume()
  },
  'the standby is promoted': ({ promote }) => promote(),
}

/** More than the rows that were changed left free inside of the files of their table. */
const LARGE_MOST = 50

/**
 * The disk of the records is full for a moment: what does not fit is refused whole. What fits where rows were changed before is
 * a record as others.
 */
export function fullDiskFault({ fill, free }: SmallDisk): Fault {
  let n = 0
  const refused = async ({ replica: { address }, created }: Stage): Promise<Answered> => {
    for (let tries = 0; ; tries++) {
      const title = `Large ${n++}`
      const large = { title, objective: 'Fill', current_state: 'x'.repeat(200_000) }
      const answer = await askAt(address, '/handoffs', large)
      if (answer.status >= 300 || tries === LARGE_MOST) return answer
      created(title, answer.json.id)
    }
  }
  return async (stage) => {
    fill()
    const answer = await refused(stage).finally(free)
    assert.deepEqual([answer.status, answer.json.reason], [503, 'storage_full'])
  }
}

type SmallDisk = NonNullable<ReturnType<typeof openSmallDisk>>

interface Run {
  readonly faults: number
  readonly kinds: readonly string[]
  readonly names?: readonly string[]
  /** Runs before the first write. */
  prepare?(server: PostgresServer): void
  /** Faults beside those of the tables. */
  readonly more?: Readonly<Record<string, Fault>>
  /** With a standby that each commit waits for. */
  readonly standby?: true
  /** A mistake to build into each replica: a module that its process loads first. */
  readonly bug?: string
}

/** Plays the faults, and fails where something acknowledged is lost or done twice, or where the team did not go on. */
export async function surviveReplicaFaults(t: TestContext, run: Run): Promise<void> {
  const story = await playReplicaFaults(t, run)
  if (!story) return
  assert.deepEqual(story.findings, [])
  assert.ok(story.acknowledged.size >= run.faults * PROGRESS)
}

/** Plays the faults under writers and a reader; gives what the writers were told and everything that is wrong. */
export async function playReplicaFaults(
  t: TestContext,
  { faults, kinds, names = ['one', 'two', 'three'], prepare, more, standby, bug }: Run,
): Promise<Story | undefined> {
  const server = await startPostgres(t)
  if (!server) return undefined
  const way = await openWay(t, server)
  const team = await openTeam(t, server, names, {
    url: way.url,
    settings: SETTINGS,
    files: { 'plan.md': '# Plan\n' },
    ...(bug !== undefined && { preload: bug }),
  })
  if (!team) return undefined
  prepare?.(server)
  watchOwners(server)
  const { replicas, balancer } = team
  const chance = createChance(SEED)
  const story = emptyStory()
  const pair = await openPair(server, way, standby)
  const owner = () => ownerOf(pair.primary, replicas)
  const created: Stage['created'] = (title, id) => void story.created.set(title, new Set([id]))
  const work = await startWork(t, { server, url: way.url, replicas, story, balancer: balancer.address })
  const all = { ...TEAM_FAULTS, ...STANDBY_FAULTS, ...more }
  for (let n = 0; n < faults && work.findings().length === 0; n++) {
    await work.progress()
    await wait(chance.below(20))
    const kind = kinds[n % kinds.length] ?? ''
    const replica = replicas[chance.below(replicas.length)]
    const worker = work.workers[chance.below(work.workers.length)]
    assert.ok(replica && worker)
    const { primary, promote } = pair
    const { standby } = pair
    const stage = { server: primary, standby, promote, way, replica, worker, owner, created }
    // What is thrown ends the run as any finding does, after everything was stopped.
    await all[kind]?.(stage).catch((thrown) => story.findings.push(`${kind}: ${thrown}`))
  }
  await work.stop()
  story.findings.push(...work.findings(), ...earlyOwners(pair.primary), ...ingestFindings(pair.primary))
  for (const replica of replicas) {
    story.findings.push(...(await findingsAt(story, replica.address)), ...(await work.roomFindings(replica)))
  }
  const told = new Set(story.findings)
  t.diagnostic(
    `seed ${SEED}: ${faults} faults, ${story.acknowledged.size} changes acknowledged in ${story.created.size} records, ` +
      `${story.asked} found out after a lost answer, ${work.told()}`,
  )
  return { ...story, findings: [...told] }
}

/** The primary, which is another one after each promotion. */
async function openPair(server: PostgresServer, way: Stage['way'], hasStandby: boolean | undefined) {
  let primary: RunningServer = server
  let standby = hasStandby ? await server.startStandby() : undefined
  if (standby) {
    server.sql("alter system set synchronous_standby_names = '*'")
    server.sql('select pg_reload_conf()')
  }
  return {
    get primary() {
      return primary
    },
    get standby() {
      return standby
    },
    async promote() {
      assert.ok(standby)
      await primary.kill()
      standby.promote()
      primary = standby
      way.leadTo(primary.port)
      standby = await primary.startStandby()
    },
  }
}

interface Work {
  readonly server: PostgresServer
  readonly url: string
  readonly replicas: readonly Replica[]
  readonly balancer: string
  readonly story: Story
}

/** Everything that goes on under the faults: handoffs, a room and an ingest. */
async function startWork(t: TestContext, { server, url, replicas, balancer, story }: Work) {
  const [first] = replicas
  assert.ok(first)
  const owner = () => ownerOf(server, replicas) ?? first
  const token = await joinAt(first, await inviteAt(owner, server, '*'), 'ada')
  const room = emptyRoomStory()
  const stage = { t, replicas, token }
  const ingest = await openIngest(t, server, url)
  const writers = ['a', 'b', 'c'].map((name) => startWriter(story, balancer, name))
  const reader = startReader(
    story,
    replicas.map(({ address }) => address),
  )
  const others = [startRoomWriter(room, stage), ...[0, 1].map((n) => startRoomReader(room, stage, n))]
  const findings = (): string[] => [...story.findings, ...room.findings, ...ingest.story.findings]
  return {
    workers: ingest.workers,
    findings,
    /** Until all of it made progress. */
    async progress() {
      const [changes, lines] = [story.acknowledged.size + PROGRESS, room.committed.length + ROOM_PROGRESS]
      const deadline = Date.now() + GIVE_UP_MS
      ingest.more()
      while (story.acknowledged.size < changes || room.committed.length < lines) {
        if (findings().length > 0) return
        if (Date.now() > deadline) {
          story.findings.push(
            `nothing went on: ${story.acknowledged.size} of ${changes}, ${room.committed.length} of ${lines}`,
          )
          return
        }
        await wait(5)
      }
    },
    async stop() {
      await Promise.all([...others, reader, ...writers].map((each) => each.stop()))
      await ingest.stop()
    },
    roomFindings: (replica: Replica) => roomFindingsAt(room, replica, token),
    told: () =>
      `${reader.looks()} looks of a reader, ${room.committed.length} commits of a room, ` +
      `${room.seen.size} events in ${room.opened} streams, ${ingest.story.ingested} changes ingested`,
  }
}
