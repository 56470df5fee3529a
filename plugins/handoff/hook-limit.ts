import { performance } from 'node:perf_hooks'

/** How long a process has run, in milliseconds. */
export interface TimeSpent {
  readonly wallMs: number
  /** In which its event loop waited: for git, a disk, standard input. */
  readonly idleMs: number
  /** Of processor time, by all of its threads. */
  readonly cpuMs: number
}

/** The limits of a hook, in milliseconds. */
export interface HookTimes {
  /** Of its own time: waiting and computing. */
  readonly totalMs: number
  /** By the clock, on a machine that is too busy to let it run. */
  readonly wallMs: number
}

/**
 * Milliseconds that a hook has left. A hook that waits or computes too long blocks its harness, so that time counts. Time
 * in which a busy machine lets it do neither counts only for the limit by the clock: with the work of a few tenths of a
 * second done in two, a compaction would lose what the hook is there to save.
 */
export function leftOf({ wallMs, idleMs, cpuMs }: TimeSpent, limits: HookTimes): number {
  const own = Math.min(wallMs, idleMs + cpuMs)
  return Math.min(limits.totalMs - own, limits.wallMs - wallMs)
}

/** What this process has spent since it started. */
export function timeOfProcess(): TimeSpent {
  const { user, system } = process.cpuUsage()
  return {
    wallMs: process.uptime() * 1000,
    idleMs: performance.eventLoopUtilization().idle,
    cpuMs: (user + system) / 1000,
  }
}

/** What is spent since the call, for hooks that are not the work of a process of their own. */
export function timeFromNow(read: () => TimeSpent = timeOfProcess): () => TimeSpent {
  const start = read()
  return () => {
    const now = read()
    return {
      wallMs: now.wallMs - start.wallMs,
      idleMs: now.idleMs - start.idleMs,
      cpuMs: now.cpuMs - start.cpuMs,
    }
  }
}
