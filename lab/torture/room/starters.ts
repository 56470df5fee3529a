import { createSimulatedDisk } from '../../../server/platform/testing/simulated-disk.ts'
import type { Disk } from '../../../server/plugin.ts'
import { type ProcessLock, takeLock } from '../../../server/plugin.ts'
import { type Chance, createChance } from '../chance.ts'
import { SIDECAR, START } from './stage.ts'

/** A mistake in the lock to build in. */
export interface LockBug {
  readonly name: string
  readonly disk?: (disk: Disk) => Disk
  /** Answers without asking whether the room is still its own. */
  readonly noFence?: boolean
}

export interface StarterReport {
  readonly rounds: number
  readonly ownerships: number
  readonly failure?: { readonly seed: number; readonly faults: readonly string[] }
}

/** Mistakes that racing starters must reveal. */
export const LOCK_BUGS: readonly LockBug[] = [
  { name: 'take-over without a second list', disk: oneList },
  { name: 'no fence', noFence: true },
]

const STARTERS = [2, 4, 8] as const
const TRIES = 4
const ANSWERS = 3

/** One contender; a killed one never moves again, a buried one is wrongly taken for dead and does. */
interface Starter {
  readonly id: number
  killed: boolean
  buried: boolean
  owning: ProcessLock | undefined
}

/**
 * Starters race for one room, every file operation of theirs interleaved by the seed; some are killed while owning,
 * some suspended. There must never be two owners, nor an answer after a successor took the room; one must own it at last.
 */
export async function raceStarters(options: {
  readonly seed: number
  readonly rounds: number
  readonly bug?: LockBug
  stop?(): boolean
}): Promise<StarterReport> {
  let ownerships = 0
  let rounds = 0
  for (; rounds < options.rounds && !options.stop?.(); rounds += 1) {
    const seed = options.seed + rounds
    const race = await runRace(seed, options.bug)
    ownerships += race.ownerships
    if (race.faults.length > 0) return { rounds, ownerships, failure: { seed, faults: race.faults } }
  }
  return { rounds, ownerships }
}

async function runRace(
  seed: number,
  bug: LockBug | undefined,
): Promise<{ faults: readonly string[]; ownerships: number }> {
  const chance = createChance(seed)
  const { disk } = createSimulatedDisk(START, chance)
  const turns = createTurns(chance)
  const race: Race = { disk, chance, turns, bug, starters: [], faults: [], ownerships: 0 }
  const count = STARTERS[chance.below(STARTERS.length)] ?? 2
  for (let id = 1; id <= count; id += 1) {
    race.starters.push({ id, killed: false, buried: false, owning: undefined })
  }
  await turns.play(race.starters.map((starter) => contend(race, starter)))
  const heir: Starter = { id: count + 1, killed: false, buried: false, owning: undefined }
  race.starters.push(heir)
  for (const starter of race.starters) starter.killed = starter !== heir
  await turns.play([own(race, heir)])
  if (!heir.owning) race.faults.push('no process can take the room any more')
  return { faults: race.faults, ownerships: race.ownerships }
}

interface Race {
  readonly disk: Disk
  readonly chance: Chance
  readonly turns: Turns
  readonly bug: LockBug | undefined
  readonly starters: Starter[]
  readonly faults: string[]
  ownerships: number
}

async function contend(race: Race, starter: Starter): Promise<void> {
  for (let attempt = 0; attempt < TRIES && !starter.killed; attempt += 1) {
    await own(race, starter)
    const lock = starter.owning
    if (!lock) continue
    await serve(race, starter, lock)
    if (starter.killed) return
    starter.owning = undefined
    await lock.release()
  }
}

async function own(race: Race, starter: Starter): Promise<void> {
  const interleaved = takingTurns(race, starter)
  const attempt = await takeLock({
    disk: race.bug?.disk?.(interleaved) ?? interleaved,
    random: () => `${starter.id}-${race.ownerships}-${race.chance.below(1_000_000)}`,
    path: `${SIDECAR}/lock-`,
    released: 'marker',
    durable: true,
    processes: {
      self: { pid: starter.id, start: 'boot', host: 'here' },
      isRunning: (pid) => race.starters.some(({ id, killed, buried }) => id === pid && !killed && !buried),
      start: () => 'boot',
    },
  })
  if (attempt.kind !== 'owner' || starter.killed) return
  starter.owning = attempt.lock
  race.ownerships += 1
  // A starter that is taken for dead while it contends may come second without knowing; its fence keeps it from answering.
  if (starter.buried) return
  const other = race.starters.find(
    (found) => found !== starter && found.owning && !found.killed && !found.buried,
  )
  if (other) race.faults.push(`${starter.id} and ${other.id} own the room`)
}

/** Answers a few callers; on the way it may be killed, or buried and come back. */
async function serve(race: Race, starter: Starter, lock: ProcessLock): Promise<void> {
  for (let answer = 0; answer < ANSWERS; answer += 1) {
    if (race.chance.maybe(0.15)) starter.buried = true
    await race.turns.next(starter)
    if (race.chance.maybe(0.15)) starter.killed = true
    if (starter.killed) return
    if (!race.bug?.noFence && !lock.holds()) return
    const successor = race.starters.find(({ owning }) => (owning?.record.n ?? 0) > lock.record.n)
    if (successor) race.faults.push(`${starter.id} answered after ${successor.id} took the room`)
  }
}

function takingTurns({ disk, turns }: Race, starter: Starter): Disk {
  return {
    ...disk,
    create: (path, content, mode) => turns.next(starter).then(() => disk.create(path, content, mode)),
    list: (directory) => turns.next(starter).then(() => disk.list(directory)),
    link: (from, to) => turns.next(starter).then(() => disk.link(from, to)),
    unlink: (path) => turns.next(starter).then(() => disk.unlink(path)),
    syncDirectory: (path) => turns.next(starter).then(() => disk.syncDirectory(path)),
  }
}

/** Lets one waiting starter at a time go on. */
interface Turns {
  next(starter: Starter): Promise<void>
  /** Until no living process waits any more. */
  play(runs: readonly Promise<void>[]): Promise<void>
}

const SETTLING_TURNS = 30 // more than any operation of the simulated disk takes

function createTurns(chance: Chance): Turns {
  const waiting: { starter: Starter; go: () => void }[] = []
  return {
    next: (starter) => new Promise((resolve) => waiting.push({ starter, go: resolve })),
    play: async (runs) => {
      // A killed starter's run never ends; the others' are over when none waits.
      for (const run of runs) run.catch(() => {})
      for (;;) {
        for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await Promise.resolve()
        const living = waiting.filter(({ starter }) => !starter.killed)
        const chosen = living[chance.below(living.length)]
        if (!chosen) return
        waiting.splice(waiting.indexOf(chosen), 1)
        chosen.go()
      }
    },
  }
}

/** The second look at the directory shows what the first one did. */
function oneList(disk: Disk): Disk {
  let listed: Promise<readonly string[]> | undefined
  return {
    ...disk,
    list: (directory) => {
      listed ??= disk.list(directory)
      return listed
    },
  }
}
