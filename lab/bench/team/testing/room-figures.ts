import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresServer } from '../../../../test/postgres-server.ts'
import type { Replica } from '../../../../test/replicas.ts'
import { callRoom, inviteAt, joinAt, openRoomTeam } from '../../../../test/room-replicas.ts'
import { medianMs, type TeamFigure } from './team-figure.ts'

/** By the specification of a lease in plugins/workspace/engine. */
const LEASE_MS = 8_000
/** Of each kind: a session makes 600 calls a minute at most. */
const MOST_CALLS = 100

/** Calls of a room at its owner and at another server, and how long a room is away when its owner is killed. */
export async function roomFigures(
  t: TestContext,
  server: PostgresServer,
  wanted: number,
): Promise<readonly TeamFigure[]> {
  const calls = Math.min(wanted, MOST_CALLS)
  const [one, two] = (await openRoomTeam(t, server, [{}, {}])) as [Replica, Replica]
  const token = await joinAt(two, await inviteAt(one, server, '*'), 'ada')
  let version = 1
  const commit = async ({ address }: Replica): Promise<boolean> => {
    const body = {
      ...{ base_version: version, content: `# Plan\n\nline ${version}\n`, summary: `line ${version}` },
      idempotency_key: `line-${version}`,
    }
    const { status } = await callRoom(address, 'POST', '/workspace/commit', { token, body })
    if (status === 200) version += 1
    return status === 200
  }
  const sure = async (at: Replica) => assert.ok(await commit(at))
  const read = ({ address }: Replica) => callRoom(address, 'GET', '/workspace/read', { token })
  const figures: TeamFigure[] = [
    {
      what: 'a room is read at a server that does not own it',
      unit: 'ms',
      ours: await medianMs(calls, () => read(two)),
      floor: { what: 'at its owner', value: await medianMs(calls, () => read(one)) },
    },
    {
      what: 'a change is committed at a server that does not own the room',
      unit: 'ms',
      ours: await medianMs(calls, () => sure(two)),
      floor: { what: 'at its owner', value: await medianMs(calls, () => sure(one)) },
    },
  ]
  await one.kill()
  const began = performance.now()
  while (!(await commit(two))) await wait(10)
  const away = performance.now() - began
  return [
    ...figures,
    {
      what: 'a room is away when its owner is killed',
      unit: 'ms',
      ours: away,
      floor: { what: 'the lease', value: LEASE_MS },
    },
  ]
}
