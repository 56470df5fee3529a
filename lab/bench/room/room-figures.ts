import { percentile } from '../../percentile.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { bestOf, inTurns, type Rounds } from '../rounds.ts'
import { openBareCommit } from './bare-commit.ts'
import { type BenchRoom, openBenchRoom } from './bench-room.ts'
import { type DiskFloor, openDiskFloor } from './disk-floor.ts'

export interface BenchOptions {
  readonly directory: string | undefined
  readonly wasm: string
  note(line: string): void
}

// design workspace-engine 7
const SIZES_MB = [1, 5, 50] as const
const SINGLE_GOAL = 0.6
const GROUP = 64
const GROUP_GOAL = 10
const DOCUMENT_GOAL = 0.1
const DOCUMENT_BYTES = 64 * 1024
const RECOVERY_LIMIT_MS = 1_000
const RECOVERY_EVENTS = 2_000
const RECOVERY_DOCUMENT_BYTES = 1024 * 1024
const JOURNAL_LIMIT_MS = 2_000
const JOURNAL_BYTES = 16 * 1024 * 1024
const JOURNAL_ROW_BYTES = 4 * 1024

const ROUNDS = 5 // toolchain: interleaved, best of 5
const WARM_UP = 10 // rounds that are not counted: 2,000 calls are compiled code, the first 200 are none
const CALLS = 200
const COMMITS = 10
const GROUPS = 8
// Below this a flush costs too little for a group to win ten times or to decide what a commit takes (decision 23).
const DOMINATED_MS = 1
const LOOP = 'overwrite of 1 KiB in place + fdatasync in a loop'

/** Every figure of the engine, each against a floor of the same run. */
export async function roomFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const size of SIZES_MB) figures.push(...(await sizedFigures(options, size)))
  options.note('recovery')
  return [...figures, await recoveryFigure(options), await journalFigure(options)]
}

async function sizedFigures(options: BenchOptions, megabytes: number): Promise<readonly Figure[]> {
  options.note(`a room of ${megabytes} MB`)
  const room = await openBenchRoom(options.directory, options.wasm)
  const floor = openDiskFloor(room.directory)
  try {
    await room.grow(megabytes * 1024 * 1024)
    const sides = {
      ours: () => rateOf(CALLS, () => room.mutate()),
      against: () => rateOf(CALLS, floor.write),
    }
    const single = await inTurns(ROUNDS, sides, WARM_UP)
    const figures = [singleFigure(megabytes, single)]
    if (megabytes === SIZES_MB[0])
      figures.push(await groupFigure(room, single), ...(await documentFigures(room, floor)))
    return figures
  } finally {
    floor.close()
    await room.close()
  }
}

function singleFigure(megabytes: number, single: Rounds): Figure {
  return figureOf({
    ...bestOf(single, 'at_least'),
    name: `room.single.${megabytes}mb`,
    what: `durable mutations one at a time, ${megabytes} MB of room`,
    unit: '/s',
    against_what: LOOP,
    goal: SINGLE_GOAL,
  })
}

async function groupFigure(room: BenchRoom, single: Rounds): Promise<Figure> {
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.push(GROUP * (await rateOf(GROUPS, () => group(room))))
  }
  return figureOf({
    ...bestOf({ ours: rates, against: single.ours }, 'at_least'),
    name: 'room.group.64',
    what: `durable mutations, ${GROUP} waiting together${noGoal(single)}`,
    unit: '/s',
    against_what: 'one at a time in the same room',
    goal: flushDominates(single) ? GROUP_GOAL : 1,
  })
}

async function group(room: BenchRoom): Promise<void> {
  await Promise.all(Array.from({ length: GROUP }, () => room.mutate()))
}

/** Against the loop of the other figures, and against what the disk alone takes for the same steps. */
async function documentFigures(room: BenchRoom, floor: DiskFloor): Promise<readonly Figure[]> {
  let version = 0
  const nextText = (): string => {
    version += 1
    return `# Version ${version}\n`.padEnd(DOCUMENT_BYTES, 'x')
  }
  const commits = (): Promise<number> => rateOf(COMMITS, () => room.commit(nextText()))
  const bare = openBareCommit(room.directory)
  try {
    const bares = (): Promise<number> => rateOf(COMMITS, () => bare.commit(nextText()))
    const bared = await inTurns(ROUNDS, { ours: commits, against: bares }, WARM_UP)
    const looped = await inTurns(ROUNDS, { ours: commits, against: () => rateOf(CALLS, floor.write) })
    return [
      figureOf({
        ...bestOf(looped, 'at_least'),
        unit: '/s',
        name: 'room.document.64k',
        what: `commits of a 64 KiB document, three flushes each${noGoal(looped)}`,
        against_what: LOOP,
        goal: flushDominates(looped) ? DOCUMENT_GOAL : 0,
      }),
      figureOf({
        ...bestOf(bared, 'at_least'),
        unit: '/s',
        name: 'room.document.bare',
        what: 'the same commits',
        against_what: 'a file, a record of its text, a rename and three flushes in a loop',
        goal: SINGLE_GOAL,
      }),
    ]
  } finally {
    bare.close()
  }
}

async function recoveryFigure({ directory, wasm }: BenchOptions): Promise<Figure> {
  const room = await openBenchRoom(directory, wasm)
  try {
    await room.commit('# Long\n'.padEnd(RECOVERY_DOCUMENT_BYTES, 'x'))
    for (let done = 0; done < RECOVERY_EVENTS; done += GROUP) await group(room)
    const ours = await room.dieAndReopen()
    const what = `${RECOVERY_EVENTS} events and a 1 MiB document after a death`
    return limitFigure({ name: 'room.recovery', what, unit: 'ms', ours, limit: RECOVERY_LIMIT_MS })
  } finally {
    await room.close()
  }
}

async function journalFigure({ directory, wasm }: BenchOptions): Promise<Figure> {
  const room = await openBenchRoom(directory, wasm)
  try {
    for (let written = 0; written < JOURNAL_BYTES; written += GROUP * JOURNAL_ROW_BYTES) {
      await Promise.all(Array.from({ length: GROUP }, () => room.add(JOURNAL_ROW_BYTES)))
    }
    const ours = await room.dieAndReopen()
    const what = 'a full journal of 16 MiB after a death'
    return limitFigure({ name: 'room.recovery.journal', what, unit: 'ms', ours, limit: JOURNAL_LIMIT_MS })
  } finally {
    await room.close()
  }
}

/** Whether a flush is what a mutation costs on this disk; the rounds have the loop of writes as their floor. */
function flushDominates(rounds: Rounds): boolean {
  return flushMs(rounds) >= DOMINATED_MS
}

function flushMs({ against }: Rounds): number {
  return 1_000 / percentile(against, 0.5)
}

function noGoal(rounds: Rounds): string {
  return flushDominates(rounds) ? '' : ` (a flush costs ${flushMs(rounds).toFixed(2)} ms here: no goal)`
}

/** Calls a second. */
async function rateOf(calls: number, call: () => Promise<void>): Promise<number> {
  const started = performance.now()
  for (let done = 0; done < calls; done += 1) await call()
  return (calls * 1_000) / (performance.now() - started)
}
