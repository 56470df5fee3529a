import { sha256Of } from '../../../plugins/workspace/engine/bodies.ts'
import type { Sql } from '../../../plugins/workspace/engine/sql.ts'
import {
  createSimulatedDisk,
  type Fault,
  type SimulatedDisk,
} from '../../../server/platform/testing/simulated-disk.ts'
import type { Chance } from '../chance.ts'
import { mortalDisk } from '../mortal-disk.ts'
import { cutPower, type Life, type PowerCutOptions, type PowerCutReport } from '../power-cuts.ts'
import { createHistory, type History, historyOf } from './history.ts'
import { type PlantedBug, START, START_TEXT } from './stage.ts'
import { trackSql } from './tracked-sql.ts'
import { judge } from './verdict.ts'
import { runWorkload, type WorkloadOptions } from './workload.ts'

export interface RoomCutOptions extends Omit<PowerCutOptions, 'live'> {
  readonly sql: Sql
  readonly bug?: PlantedBug
}

const FEWEST_STEPS = 2
const MORE_STEPS = 8
const FEWEST_CALLS = 10 // the process is killed at the earliest while it opens the room
const MORE_CALLS = 200

/** Runs workloads in a room on a simulated disk and cuts its power; see `cutPower`. */
export function cutRoomPower({ sql, bug, ...options }: RoomCutOptions): Promise<PowerCutReport> {
  return cutPower({ ...options, live: (chance) => liveIn({ sql, bug }, chance) })
}

async function liveIn({ sql, bug }: Room, chance: Chance): Promise<Life> {
  const { simulated, history } = await liveThrough({ sql, bug }, chance)
  return {
    start: START,
    changes: simulated.changes,
    complaints: history.complaints(),
    judge: ({ second, ...cut }) => judge({ ...cut, history, sql, bug, owner: second ? 4 : 3 }),
  }
}

interface Room {
  readonly sql: Sql
  readonly bug: PlantedBug | undefined
}

/** What one workload did to its disk, and what it was promised; half of the workloads lose their process on the way. */
async function liveThrough(
  { sql, bug }: Room,
  chance: Chance,
): Promise<{ simulated: SimulatedDisk; history: History }> {
  const simulated = createSimulatedDisk(START, chance)
  const history = createHistory(() => simulated.changes.length)
  history.text(sha256Of(START_TEXT), 'editor')
  const tracked = trackSql(sql)
  const lives = { simulated, sql: tracked.sql, chance, history, bug }
  if (chance.maybe(0.5)) await untilKilled(lives, FEWEST_CALLS + chance.below(MORE_CALLS))
  else await liveOn({ ...lives, owner: 1 })
  tracked.closeAll()
  return { simulated, history }
}

type Owner = Omit<WorkloadOptions, 'steps'>

/** A planted bug may break the run itself; what it left is judged anyway. */
async function liveOn(life: Owner): Promise<void> {
  const { simulated, chance } = life
  await runWorkload({
    ...life,
    steps: FEWEST_STEPS + chance.below(MORE_STEPS),
    opened: () => simulated.fail(fillingUp(simulated, chance)),
    closing: () => simulated.fail(nextWrite(simulated)),
    closed: () => simulated.fail(undefined),
  }).catch(() => {})
}

/** A process that is killed while the machine runs on, then one that goes on with what it finds. */
async function untilKilled(lives: Omit<Owner, 'owner'>, calls: number): Promise<void> {
  const { simulated, history } = lives
  const { disk, died, isDead } = mortalDisk(simulated.disk, calls)
  const fail = (fault: Fault | undefined): void => {
    if (!isDead()) simulated.fail(fault)
  }
  const own = { simulated: { ...simulated, disk, fail }, history: historyOf(history, isDead) }
  await Promise.race([liveOn({ ...lives, ...own, owner: 1 }), died])
  simulated.fail(undefined)
  await liveOn({ ...lives, owner: 2 })
}

/** Half of the runs meet a disk that refuses a write now and then. */
function fillingUp(simulated: SimulatedDisk, chance: Chance): Fault | undefined {
  if (chance.maybe(0.5)) return undefined
  const how = (['whole', 'partial', 'landed', 'landed'] as const)[chance.below(4)] ?? 'whole'
  return { call: 'write', nth: simulated.calls('write') + 1, every: 2 + chance.below(6), code: 'ENOSPC', how }
}

/** The next write arrives, but the call says it did not. */
function nextWrite(simulated: SimulatedDisk): Fault {
  return { call: 'write', nth: simulated.calls('write') + 1, code: 'EIO', how: 'landed' }
}
