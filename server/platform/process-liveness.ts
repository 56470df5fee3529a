import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { systemCode } from './disk.ts'

/** Names a process across reused pids, reboots and containers. A field is absent where the system does not tell. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it started, in clock ticks since boot: field 22 of `/proc/<pid>/stat`. */
  readonly start?: string | undefined
  readonly pidns?: string | undefined
  readonly boot_id?: string | undefined
  readonly host: string
}

/**
 * `hidden`: this process cannot tell, because the pid belongs to another namespace or start times are missing.
 * `remote`: on another machine, or before the last boot of one.
 */
export type Liveness = 'alive' | 'dead' | 'hidden' | 'remote'

/** The processes of a machine. Injected, so that reboots and containers can be simulated. */
export interface Processes {
  /** The process that asks. */
  readonly self: ProcessIdentity
  /** Whether a process has this pid and has not ended. */
  isRunning(pid: number): boolean
  start(pid: number): string | undefined
}

/** Judges the process that wrote `found`. */
export function judgeProcess({ self, isRunning, start }: Processes, found: ProcessIdentity): Liveness {
  if (found.boot_id !== undefined && self.boot_id !== undefined) {
    if (found.boot_id !== self.boot_id) return found.host === self.host ? 'dead' : 'remote'
  } else if (found.host !== self.host) return 'hidden'
  if (found.pidns !== undefined && found.pidns !== self.pidns) return 'hidden'
  if (!isRunning(found.pid)) return 'dead'
  const started = start(found.pid)
  if (started === undefined || found.start === undefined) return 'hidden'
  return started === found.start ? 'alive' : 'dead'
}

let self: ProcessIdentity | undefined

/** The processes of this machine. */
export const systemProcesses: Processes = {
  get self() {
    self ??= {
      pid: process.pid,
      start: processStart(process.pid),
      pidns: readOptional(() => readlinkSync('/proc/self/ns/pid')),
      boot_id: readOptional(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
      host: hostname(),
    }
    return self
  },
  isRunning: (pid) => {
    try {
      process.kill(pid, 0)
      return !isZombie(pid)
    } catch (thrown) {
      return systemCode(thrown) !== 'ESRCH'
    }
  },
  start: processStart,
}

/** When a process started (see `ProcessIdentity`). Undefined for one that has ended, also if it was not reaped yet. */
export function processStart(pid: number): string | undefined {
  const fields = statFields(pid)
  return fields === undefined || hasEnded(fields) ? undefined : fields[19]
}

/** The pid of the parent of a process; undefined without `/proc`. */
export function parentProcess(pid: number): number | undefined {
  const parent = statFields(pid)?.[1]
  return parent === undefined ? undefined : Number(parent)
}

/** True for a process that has ended but was not reaped by its parent: signals still find it. */
export function isZombie(pid: number): boolean {
  const fields = statFields(pid)
  return fields !== undefined && hasEnded(fields)
}

/** The fields of `/proc/<pid>/stat` from the third on. */
function statFields(pid: number): readonly string[] | undefined {
  const stat = readOptional(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  // The second field is the command in parentheses and may itself hold spaces and parentheses.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function hasEnded([state = '']: readonly string[]): boolean {
  return state === 'Z' || state === 'X'
}

function readOptional(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
