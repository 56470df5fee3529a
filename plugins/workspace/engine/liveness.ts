import { readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { isZombie, processStart } from '../../../server/plugin.ts'
import type { Clock } from './clock.ts'

/** What names a process for ever, across reused pids, reboots and containers. Undefined where the system does not tell. */
export interface ProcessIdentity {
  readonly pid: number
  readonly start?: string | undefined
  readonly pidns?: string | undefined
  readonly boot_id?: string | undefined
  readonly host: string
}

/** `unknown`: on another host that does not answer; only a person may decide. */
export type Liveness = 'alive' | 'dead' | 'unknown'

/** What this process can find out about another. Injected, so that reboots and containers can be simulated. */
export interface Surroundings {
  readonly self: ProcessIdentity
  /** Whether somebody accepts on this socket. */
  accepts(socket: string): Promise<boolean>
  /** Signal 0: `gone` is ESRCH, or a process that has ended; anything else means there is one. */
  process(pid: number): 'there' | 'gone'
  start(pid: number): string | undefined
}

const SILENT_MS = 5_000 // design workspace-engine 3: another pid namespace, or no /proc
const PROBE_PAUSE_MS = 250

/** Judges the owner that wrote `record`. May take 5 s when its pid means nothing here. */
export async function liveness(
  around: Surroundings,
  clock: Clock,
  record: ProcessIdentity & { readonly socket: string },
): Promise<Liveness> {
  if (await around.accepts(record.socket)) return 'alive'
  const { self } = around
  const sameBoot = record.boot_id === self.boot_id
  if (!sameBoot && record.host !== self.host) return 'unknown'
  if (!sameBoot && record.boot_id !== undefined && self.boot_id !== undefined) return 'dead'
  if (record.pidns === self.pidns) {
    if (around.process(record.pid) === 'gone') return 'dead'
    const start = around.start(record.pid)
    if (start !== undefined && record.start !== undefined) return start === record.start ? 'alive' : 'dead'
  }
  return (await answersWithin(around, clock, record.socket)) ? 'alive' : 'dead'
}

async function answersWithin(around: Surroundings, clock: Clock, socket: string): Promise<boolean> {
  const deadline = clock.elapsedMs() + SILENT_MS
  while (clock.elapsedMs() < deadline) {
    await clock.pause(PROBE_PAUSE_MS)
    if (await around.accepts(socket)) return true
  }
  return false
}

/** This process on this machine. */
export function realSurroundings(): Surroundings {
  return {
    self: {
      pid: process.pid,
      start: processStart(process.pid),
      pidns: readQuietly(() => readlinkSync('/proc/self/ns/pid')),
      boot_id: readQuietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
      host: hostname(),
    },
    accepts,
    process: (pid) => {
      try {
        process.kill(pid, 0)
        // Killed by a client that does not look after its children: it will never answer again.
        return isZombie(pid) ? 'gone' : 'there'
      } catch (thrown) {
        return (thrown as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'there'
      }
    },
    start: processStart,
  }
}

const CONNECT_MS = 1_000

function accepts(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket)
    const answer = (accepted: boolean): void => {
      connection.destroy()
      resolve(accepted)
    }
    connection.setTimeout(CONNECT_MS, () => answer(false))
    connection.once('connect', () => answer(true))
    connection.once('error', () => answer(false))
  })
}

function readQuietly(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
