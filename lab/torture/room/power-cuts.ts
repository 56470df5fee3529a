import { sha256Of } from '../../../plugins/workspace/engine/bodies.ts'
import type { Sql } from '../../../plugins/workspace/engine/sql.ts'
import {
  createSimulatedDisk,
  type Fault,
  type SimulatedDisk,
} from '../../../server/platform/testing/simulated-disk.ts'
import { type Chance, createChance } from '../chance.ts'
import { createMedium } from '../medium.ts'
import { mortalDisk } from '../mortal-disk.ts'
import { createHistory, type History, historyOf } from './history.ts'
import { type PlantedBug, START, START_TEXT } from './stage.ts'
import { trackSql } from './tracked-sql.ts'
import { type Cut, judge } from './verdict.ts'
import { runWorkload, type WorkloadOptions } from './workload.ts'

export interface PowerCutOptions {
  readonly sql: Sql
  readonly seed: number
  /** Cuts to simulate. */
  readonly points: number
  readonly bug?: PlantedBug
  /** True when the time is up. */
  stop?(): boolean
}

export interface PowerCutReport {
  readonly points: number
  /** Cuts that hit a recovery which was itself under way. */
  readonly nested: number
  /** The first broken promise, if any; `seed` repeats it. */
  readonly failure?: { readonly seed: number; readonly change: number; readonly faults: readonly string[] }
}

const FEWEST_STEPS = 2
const MORE_STEPS = 8
const FEWEST_CALLS = 10 // the process is killed at the earliest while it opens the room
const MORE_CALLS = 200
const CUTS_PER_CHANGE = 5 // at most: the more is not durable, the more images a cut can leave
const CUT_CHANGES = 0.25
const NESTED_SHARE = 0.25

/**
 * Runs workloads on a simulated disk and cuts the power between any two changes of it, with any subset of what was not
 * flushed surviving. Ends at the first broken promise.
 */
export async function cutPower(options: PowerCutOptions): Promise<PowerCutReport> {
  let points = 0
  let nested = 0
  for (let seed = options.seed; points < options.points && !options.stop?.(); seed += 1) {
    const run = await cutOneWorkload(options, seed, options.points - points)
    points += run.points
    nested += run.nested
    if (run.failure) return { points, nested, failure: run.failure }
  }
  return { points, nested }
}

async function cutOneWorkload(
  options: PowerCutOptions,
  seed: number,
  budget: number,
): Promise<PowerCutReport> {
  const { sql, bug } = options
  const chance = createChance(seed)
  const { simulated, history } = await liveThrough(options, chance)
  if (history.complaints().length > 0) {
    const failure = { seed, change: simulated.changes.length, faults: history.complaints() }
    return { points: 1, nested: 0, failure }
  }

  const medium = createMedium(START)
  const count = { points: 0, nested: 0 }
  for (const [number, change] of simulated.changes.entries()) {
    medium.apply(change, number)
    const at = number + 1
    // More workloads show more than more cuts of the same one; nothing of a new file is certain.
    const isNew = change.kind === 'write' && change.offset === 0
    if (!isNew && !chance.maybe(CUT_CHANGES)) continue
    for (let cut = Math.min(CUTS_PER_CHANGE, 1 + medium.pending()); cut > 0; cut -= 1) {
      if (count.points >= budget || options.stop?.()) return count
      count.points += 1
      const faults = await judgeCut(
        { image: medium.cut(chance), at, history, sql, chance, bug, owner: 3 },
        count,
      )
      if (faults.length > 0) return { ...count, failure: { seed, change: at, faults } }
    }
  }
  return count
}

/** What one workload did to its disk, and what it was promised; half of the workloads lose their process on the way. */
async function liveThrough(
  { sql, bug }: PowerCutOptions,
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

type Life = Omit<WorkloadOptions, 'steps'>

/** A planted bug may break the run itself; what it left is judged all the same. */
async function liveOn(life: Life): Promise<void> {
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
async function untilKilled(lives: Omit<Life, 'owner'>, calls: number): Promise<void> {
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

/** Judges one cut, and sometimes a second one in the middle of its recovery. */
async function judgeCut(cut: Cut, count: { nested: number }): Promise<readonly string[]> {
  const { faults, recovery } = await judge(cut)
  if (faults.length > 0 || !cut.chance.maybe(NESTED_SHARE)) return faults
  count.nested += 1
  const medium = createMedium(cut.image)
  const until = cut.chance.below(recovery.length + 1)
  for (const [number, change] of recovery.slice(0, until).entries()) medium.apply(change, number)
  const again = await judge({ ...cut, image: medium.cut(cut.chance), owner: 4 })
  return again.faults.length > 0 ? ['after a cut in the recovery:', ...again.faults] : []
}
