import { percentile } from '../../percentile.ts'
import type { ReaderReport } from '../../room/event-readers.ts'
import { type Figure, figureOf } from '../figure.ts'
import { type BusyRoom, type BusyRoomOptions, openBusyRoom } from './busy-room.ts'

// design workspace-engine 7
const STALLED = 10
const EVENTS = 8000
const COMMIT_GOAL = 1.05

/** Half of the events, 5 MB, are more than a kernel keeps for a reader; what follows the word of a loss is seen too. */
const READ_ON_AFTER = EVENTS / 2

const PAIRED_READERS = 200
const PAIRED_EVENTS = 4000
const WARM_UP_CYCLES = 5
/** Which room goes first. */
const TURNS = [['none', 'stalled'] as const, ['stalled', 'none'] as const] as const

interface StalledOptions extends Omit<BusyRoomOptions, 'stalled'> {
  /** Pairs of rooms. */
  readonly rounds: number
  note(line: string): void
}

/** What readers that stop reading lose, and what they cost the others, in rooms that processes of their own serve. */
export async function stalledFigures(options: StalledOptions): Promise<readonly Figure[]> {
  options.note(`${EVENTS} events for ${options.readers} readers, ${STALLED} of whom stop reading`)
  const fared = await stalledRun({ ...options, stalled: STALLED, events: EVENTS, readOnAfter: READ_ON_AFTER })
  options.note(`commits beside ${PAIRED_READERS} readers with and without ${STALLED} who stop, in turns`)
  return [...fareFigures(fared), commitFigure(await pairedCommits(options))]
}

function fareFigures({ readers, whole, told }: Fared): readonly Figure[] {
  const exact = { unit: 'readers', goal: 1, gate: 1, sense: 'at_least' } as const
  return [
    figureOf({
      ...exact,
      name: 'events.stalled.whole',
      what: `readers that got each of ${EVENTS} events in order while ${STALLED} of ${readers} stopped reading`,
      ours: whole,
      against: readers - STALLED,
      against_what: 'all others',
    }),
    figureOf({
      ...exact,
      name: 'events.stalled.told',
      what: 'readers that stopped, were told of their loss when they read on, and followed again',
      ours: told,
      against: STALLED,
      against_what: 'all that stopped',
      gate: 0, // on a machine so slow that they stay blocked for 30 s they are cut off instead
    }),
  ]
}

function commitFigure({ stalled, none }: PairedCommits): Figure {
  const medians = [stalled, none].map((all) => percentile(all, 0.5).toFixed(1)).join(' against ')
  return figureOf({
    name: 'events.stalled.commit',
    what: `99th percentile of ${stalled.length} commits beside ${PAIRED_READERS} readers of whom ${STALLED} stopped reading (median ${medians} ms; two halves of the floor differ by a factor of ${noiseOf(none).toFixed(2)})`,
    unit: 'ms',
    ours: percentile(stalled, 0.99),
    against: percentile(none, 0.99),
    against_what: 'as many in a room where all readers read, in turns',
    goal: COMMIT_GOAL,
  })
}

/** What the 99th percentile differs by without any cause: between two halves of the same commits, whose turns mix. */
function noiseOf(all: readonly number[]): number {
  const half = (which: number): number =>
    percentile(
      all.filter((_, at) => Math.floor(at / TURNS.length) % 2 === which),
      0.99,
    )
  return Math.max(half(0), half(1)) / Math.min(half(0), half(1))
}

export interface StalledRun extends BusyRoomOptions {
  readonly events: number
  /** Events after which the stalled readers read on. */
  readonly readOnAfter: number
}

export interface Fared {
  /** Readers that were let in. */
  readonly readers: number
  /** Readers that never stopped, got every event in order and were told of no loss. */
  readonly whole: number
  /** Readers that stopped, were told of a loss, and then got the events to the last. */
  readonly told: number
}

/** Readers follow a busy room; some stop reading for the first part of it. */
export async function stalledRun(run: StalledRun): Promise<Fared> {
  const room = await openBusyRoom(run)
  try {
    while (room.events() < run.readOnAfter) await room.cycle()
    await room.readers.resume()
    while (room.events() < run.events) await room.cycle()
    await room.readers.untilAll(room.newest())
    const reports = await room.readers.report()
    return {
      readers: room.readerCount,
      whole: reports.filter((report) => isWhole(report, room)).length,
      told: reports.filter((report) => wasTold(report, room)).length,
    }
  } finally {
    await room.close()
  }
}

function isWhole({ wasStalled, open, faults, told, last, events }: ReaderReport, room: BusyRoom): boolean {
  const lostNothing = faults === 0 && told === 0 && last === room.newest() && events === room.events()
  return !wasStalled && open && lostNothing
}

function wasTold({ wasStalled, open, faults, told, last }: ReaderReport, room: BusyRoom): boolean {
  return wasStalled && open && faults === 0 && told > 0 && last === room.newest()
}

interface PairedCommits {
  /** Milliseconds of each commit. */
  readonly stalled: readonly number[]
  readonly none: readonly number[]
}

/**
 * Two rooms commit in turns, so that both meet the same machine; the stalled readers of one never read on. Either room is
 * the first to open in every other round.
 */
async function pairedCommits(options: StalledOptions): Promise<PairedCommits> {
  const took = { stalled: [] as number[], none: [] as number[] }
  const open = (stalled: number): Promise<BusyRoom> =>
    openBusyRoom({ ...options, readers: PAIRED_READERS, stalled })
  for (let round = 0; round < options.rounds; round += 1) {
    const rooms: Partial<Record<keyof PairedCommits, BusyRoom>> = {}
    try {
      for (const name of TURNS[round % 2] ?? []) rooms[name] = await open(name === 'none' ? 0 : STALLED)
      const { none, stalled } = rooms
      if (none && stalled) await commitInTurns({ none, stalled }, took)
    } finally {
      for (const room of Object.values(rooms)) await room.close()
    }
  }
  return took
}

async function commitInTurns(
  rooms: Readonly<Record<keyof PairedCommits, BusyRoom>>,
  took: Readonly<Record<keyof PairedCommits, number[]>>,
): Promise<void> {
  for (let cycle = 0; rooms.none.events() < PAIRED_EVENTS; cycle += 1) {
    for (const name of TURNS[cycle % 2] ?? []) {
      const ms = await rooms[name].cycle()
      if (cycle >= WARM_UP_CYCLES) took[name].push(ms)
    }
  }
}
