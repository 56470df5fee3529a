import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { SatchelError } from '../../../server/plugin.ts'
import { residentMib } from '../../bench/host/child.ts'
import { percentile } from '../../percentile.ts'

/** One look at a server: a minute of its life, or the share of one that a short run has. */
export interface Moment {
  /** Seconds since the first look. */
  readonly at_s: number
  /** Resident memory, the median of a look every second. */
  readonly resident_mib: number
  /** Of it the rows that the room keeps on purpose: versions, proposals, who was here. */
  readonly rows_mib: number
  /** Open file descriptors. */
  readonly descriptors: number
}

export interface WatchOptions {
  readonly pid: number
  /** Between two moments. */
  readonly everyS: number
  /** Bytes of the rows now. */
  rowBytes(): Promise<number>
  goesOn(): boolean
  onMoment(moment: Moment): void
}

/** Looks at a process until `goesOn` says no. Errors: `unavailable`/`no_proc` where there is no `/proc`. */
export async function watchServer(options: WatchOptions): Promise<readonly Moment[]> {
  const { pid, everyS, rowBytes, goesOn, onMoment } = options
  const started = performance.now()
  const curve: Moment[] = []
  let resident = [memoryOf(pid)]
  const note = async (): Promise<void> => {
    const moment = {
      at_s: Math.round((performance.now() - started) / 1000),
      resident_mib: round(percentile(resident, 0.5)),
      rows_mib: round((await rowBytes()) / 2 ** 20),
      descriptors: descriptorsOf(pid),
    }
    resident = []
    curve.push(moment)
    onMoment(moment)
  }
  await note()
  while (goesOn()) {
    await pause(1000)
    resident.push(memoryOf(pid))
    if (resident.length >= everyS) await note()
  }
  return curve
}

/** Open file descriptors of a process. */
export function descriptorsOf(pid: number): number {
  const path = `/proc/${pid}/fd`
  if (!existsSync(path)) throw noProc(path)
  return readdirSync(path).length
}

function memoryOf(pid: number): number {
  const mib = residentMib(pid)
  if (mib === undefined) throw noProc(`/proc/${pid}/status`)
  return mib
}

function noProc(path: string): SatchelError {
  return new SatchelError(
    'unavailable',
    'no_proc',
    `There is no ${path}: the server ended, or this system does not tell the memory of a process. Run this on Linux.`,
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
