import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../../../test/postgres-server.ts'
import {
  emptyStory,
  findingsAt,
  type Story,
  startReader,
  startWriter,
} from '../../../../test/replica-torture.ts'
import { openTeam, type Replica } from '../../../../test/replicas.ts'
import { createChance } from '../../chance.ts'
import { DATABASE_FAULTS, FROZEN_MS } from '../../testing/database-faults.ts'

const SEED = Number(process.env['SEED'] ?? 20_261_124)
/** Acknowledged changes before the next fault: the team goes on working after each. */
export const PROGRESS = 4

interface Stage {
  readonly server: PostgresServer
  readonly replica: Replica
}

type Fault = (stage: Stage) => Promise<void>

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
  ...DATABASE_FAULTS,
}

interface Run {
  readonly faults: number
  readonly kinds: readonly string[]
  readonly names?: readonly string[]
  /** Runs before the first write. */
  prepare?(server: PostgresServer): void
}

/** Plays the faults under writers and a reader; gives what the writers were told and everything that is wrong. */
export async function playReplicaFaults(
  t: TestContext,
  { faults, kinds, names = ['one', 'two', 'three'], prepare }: Run,
): Promise<Story | undefined> {
  const server = await startPostgres(t)
  if (!server) return undefined
  const team = await openTeam(t, server, names)
  if (!team) return undefined
  prepare?.(server)
  const { replicas, balancer } = team
  const chance = createChance(SEED)
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
    await wait(chance.below(20))
    const kind = kinds[n % kinds.length] ?? ''
    const replica = replicas[chance.below(replicas.length)]
    assert.ok(replica)
    await REPLICA_FAULTS[kind]?.({ server, replica })
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
