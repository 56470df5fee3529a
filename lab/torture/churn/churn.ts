import { setTimeout as pause } from 'node:timers/promises'
import { createAnalyst } from '../../../plugins/workspace/analysis/analyst.ts'
import { roomPlace } from '../../../plugins/workspace/engine/open-room.ts'
import { recover } from '../../../plugins/workspace/engine/recovery.ts'
import { storeContent } from '../../../plugins/workspace/room/room.ts'
import { realDisk } from '../../../server/plugin.ts'
import { openServedRoom, type ServedRoom } from '../../room/served-room.ts'
import { loadRoomSql } from '../../room/sql.ts'
import { createChance } from '../chance.ts'
import { type ChurnRun, faultsOf } from './churn-verdict.ts'
import { descriptorsOf, type Moment, watchServer } from './server-watch.ts'
import { type Visiting, visit } from './visitor.ts'

export interface ChurnOptions {
  /** The command line of satchel, without a verb. */
  readonly program: readonly string[]
  /** Where the room's folder is made; absent: the folder for temporary files. */
  readonly directory: string | undefined
  readonly wasm: string
  readonly seed: number
  readonly minutes: number
  /** Longest pause of a visitor between two visits; absent: so that the room does not fill up. */
  readonly longestPauseMs?: number
  stopped(): boolean
  note(line: string): void
}

export interface ChurnReport extends ChurnRun {
  readonly seed: number
  /** What did not hold; empty when all did. */
  readonly faults: readonly string[]
}

const VISITORS = 8
const HOSTS = 4
const MAX_STREAMS = 256
/** Two visits a second, fewer where they come for hours: each leaves 10 KB of rows, and a room takes 100 MB. */
const LONGEST_PAUSE_MS = 8000
const LONGEST_PAUSE_MS_PER_MINUTE = 160
const MINUTE_S = 60
const MOMENTS = 10
/** Connections that visitors cut are noticed by then. */
const SETTLED_WITHIN_MS = 60_000

/**
 * Visitors join and leave a served room, properly or not, again and again, while the server's memory and descriptors
 * are looked at. Ends early at the first visit that met anything but an answer or an ordinary refusal.
 */
export async function churn(options: ChurnOptions): Promise<ChurnReport> {
  const room = await openServedRoom({ ...options, maxStreams: MAX_STREAMS })
  try {
    const visiting = await hosted(room, options.seed)
    const before = descriptorsOf(room.pid)
    const deadline = performance.now() + options.minutes * MINUTE_S * 1000
    const longestPauseMs =
      options.longestPauseMs ?? Math.max(LONGEST_PAUSE_MS, options.minutes * LONGEST_PAUSE_MS_PER_MINUTE)
    let visits = 0
    let broken: string | undefined
    const goesOn = (): boolean => broken === undefined && !options.stopped() && performance.now() < deadline
    const comeAgain = async (): Promise<void> => {
      while (goesOn()) {
        await visit(visiting).catch((thrown: unknown) => {
          broken ??= thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
        })
        visits += 1
        await pause(visiting.chance.below(longestPauseMs))
      }
    }
    const [curve] = await Promise.all([
      watchServer({
        pid: room.pid,
        everyS: Math.min(MINUTE_S, (options.minutes * MINUTE_S) / MOMENTS),
        rowBytes: () => rowBytes(room, options.wasm),
        goesOn,
        onMoment: (moment) => options.note(momentText(moment, visits)),
      }),
      ...Array.from({ length: VISITORS }, comeAgain),
    ])
    const run: ChurnRun = { visits, curve, before, after: await settledDescriptors(room.pid, before) }
    return { seed: options.seed, ...run, faults: broken === undefined ? faultsOf(run) : [broken] }
  } finally {
    await room.close()
  }
}

async function hosted(room: ServedRoom, seed: number): Promise<Visiting> {
  const hosts: string[] = []
  for (let at = 0; at < HOSTS; at += 1) hosts.push((await room.join(`host ${at}`, ['admin'])).token)
  let turn = 0
  const hostToken = (): string => {
    turn += 1
    return hosts[turn % HOSTS] ?? ''
  }
  return { room, chance: createChance(seed), hostToken }
}

async function settledDescriptors(pid: number, before: number): Promise<number> {
  const deadline = performance.now() + SETTLED_WITHIN_MS
  while (descriptorsOf(pid) > before && performance.now() < deadline) await pause(250)
  return descriptorsOf(pid)
}

const TRIES = 20

/** Size of the database, read as a look at a room without an owner reads it; a checkpoint in the middle is looked past. */
async function rowBytes({ file }: ServedRoom, wasm: string): Promise<number> {
  const sql = await loadRoomSql(wasm)
  for (let tries = 1; ; tries += 1) {
    try {
      const { ledger } = await recover(realDisk, roomPlace(file, {}).sidecar, sql, NO_CONTENT)
      const bytes = ledger.bytes()
      ledger.close()
      return bytes
    } catch (thrown) {
      if (tries === TRIES) throw thrown
      await pause(100)
    }
  }
}

const NO_CONTENT = storeContent({
  nowMicros: () => 0,
  random: (size) => new Uint8Array(size),
  settings: { staleness: 'section', endpoints: () => [] },
  analyst: createAnalyst(),
  path: '',
  name: '',
  publish: () => {},
  substrateChanged: () => {},
})

function momentText({ at_s, resident_mib, rows_mib, descriptors }: Moment, visits: number): string {
  return `${at_s} s: ${resident_mib} MiB resident, ${rows_mib} MiB of rows, ${descriptors} descriptors, ${visits} visits`
}

/** The report for a person. */
export function churnText({ seed, visits, curve, before, after, faults }: ChurnReport): string {
  const memory = curve.map(({ resident_mib, rows_mib }) => `${resident_mib} (${rows_mib})`).join(', ')
  const lines = [
    `seed ${seed}`,
    `visits       ${visits}`,
    `memory       MiB resident, in brackets rows of the room: ${memory}`,
    `descriptors  ${before} before the first visitor, ${after} after the last`,
  ]
  const verdict =
    faults.length > 0 ? 'BROKEN' : 'memory beside the rows stayed within a tenth, every descriptor came back'
  return `${[...lines, verdict, ...faults].join('\n')}\n`
}
