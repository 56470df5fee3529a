import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { emptyStory, findingsAt, type Story, startReader, startWriter } from './replica-torture.ts'
import { openTeam, type Replica } from './replicas.ts'

const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 40)
const SEED = Number(process.env['SEED'] ?? 20_261_124)
const FROZEN_MS = 50
/** Acknowledged changes before the next fault: the team goes on working after each. */
const PROGRESS = 4

interface Stage {
  readonly server: PostgresServer
  readonly replica: Replica
}

type Fault = (stage: Stage) => Promise<void>

const FAULT: Readonly<Record<string, Fault>> = {
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
  'every connection is cut': async ({ server }) => {
    server.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'satchel%'",
    )
  },
  'the connections that commit are cut': async ({ server }) => {
    server.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'satchel' and state <> 'idle'`,
    )
  },
  'the database hangs': async ({ server }) => {
    const frozen = server.pause()
    await wait(FROZEN_MS)
    frozen.resume()
  },
  'the database is killed': async ({ server }) => {
    await server.kill()
    await server.start()
  },
}

interface Run {
  readonly faults: number
  readonly kinds: readonly string[]
  readonly names?: readonly string[]
  /** Runs before the first write. */
  prepare?(server: PostgresServer): void
}

/** Plays the faults under writers and a reader; gives what the writers were told and everything that is wrong. */
async function play(
  t: TestContext,
  { faults, kinds, names = ['one', 'two', 'three'], prepare }: Run,
): Promise<Story | undefined> {
  const server = await startPostgres(t)
  if (!server) return undefined
  const team = await openTeam(t, server, names)
  if (!team) return undefined
  prepare?.(server)
  const { replicas, balancer } = team
  const below = chanceOf(SEED)
  const story = emptyStory()
  const writers = ['a', 'b', 'c'].map((name) => startWriter(story, balancer.address, name))
  const reader = startReader(
    story,
    replicas.map(({ address }) => address),
  )
  const played = new Map<string, number>()
  for (let n = 0; n < faults && story.findings.length === 0; n++) {
    const until = story.acknowledged.size + PROGRESS
    while (story.acknowledged.size < until && story.findings.length === 0) await wait(5)
    await wait(below(20))
    const kind = kinds[n % kinds.length] ?? ''
    const replica = replicas[below(replicas.length)]
    assert.ok(replica)
    await FAULT[kind]?.({ server, replica })
    played.set(kind, (played.get(kind) ?? 0) + 1)
  }
  await Promise.all([reader.stop(), ...writers.map((writer) => writer.stop())])
  for (const { address } of replicas) story.findings.push(...(await findingsAt(story, address)))
  t.diagnostic(
    `seed ${SEED}: ${faults} faults, ${story.acknowledged.size} changes acknowledged in ${story.created.size} records, ` +
      `${story.asked} found out after a lost answer, ${reader.looks()} looks of a reader`,
  )
  return story
}

test(`three replicas and their database lose nothing that was acknowledged in ${FAULTS} faults, and do nothing twice`, async (t) => {
  const story = await play(t, { faults: FAULTS, kinds: Object.keys(FAULT) })
  if (!story) return

  assert.deepEqual(story.findings, [])
  assert.ok(story.acknowledged.size >= FAULTS * PROGRESS)
})

test('a database that acknowledges a commit before it is on disk is found by its kills', async (t) => {
  const story = await play(t, {
    faults: 6,
    kinds: ['the database is killed'],
    names: ['one'],
    prepare(server) {
      for (const set of ["synchronous_commit = 'off'", "wal_writer_delay = '10s'"])
        server.sql(`alter system set ${set}`)
      server.sql('select pg_reload_conf()')
    },
  })
  if (!story) return

  assert.notDeepEqual(story.findings, [])
})

/** Whole numbers in `[0, limit)`, the same for the same seed: a linear congruential generator, good enough to choose by. */
function chanceOf(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
