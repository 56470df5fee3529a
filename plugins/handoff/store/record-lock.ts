import { join } from 'node:path'
import {
  type Disk,
  type LockOptions,
  type LockRecord,
  type SatchelError,
  waitForLock,
} from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Layout } from './layout.ts'

export interface Locks {
  readonly disk: Disk
  readonly layout: Layout
  readonly now: () => number
  /** How long a write waits for another one of the same record; absent: 5 s. */
  readonly lockMs?: number | undefined
}

/** Held until `withLock` returns. */
export interface HeldLock {
  /** Errors: `conflict`/`locked` if another process took the lock over. */
  check(): void
}

const STALE_AFTER_MS = 60_000 // design handoff-store, section 1: no write takes as long
/** See `Locks.lockMs`. */
export const LONGEST_WAIT_MS = 5_000

/** Runs `action` while holding the lock `name`. Errors: `conflict`/`locked` naming the holder after 5 s. */
export async function withLock<T>(
  locks: Locks,
  name: string,
  action: (held: HeldLock) => Promise<T>,
): Promise<T> {
  const attempt = await waitForLock(recordLock(locks, name), locks.lockMs ?? LONGEST_WAIT_MS)
  if (attempt.kind !== 'owner') throw lockedBy(name, attempt.kind === 'held' ? attempt.record : undefined)
  const { lock } = attempt
  const check = (): void => {
    if (!lock.holds()) throw lockedBy(name, undefined)
  }
  try {
    return await action({ check })
  } finally {
    await lock.release()
  }
}

/** The lock of a name: `.locks/<name>.<n>`. */
export function recordLock({ disk, layout, now }: Locks, name: string): LockOptions {
  return {
    disk,
    now,
    path: join(layout.locks, `${name}.`),
    temporaryFolder: layout.temps,
    released: 'emptied',
    isHeld: (_record, { liveness, ageMs }) => liveness !== 'dead' && ageMs <= STALE_AFTER_MS,
  }
}

/** The error for a lock that was not had in time. */
export function lockedBy(name: string, holder: LockRecord | undefined): SatchelError {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
  const details = { name, ...(holder && { pid: holder.pid, host: holder.host }) }
  return refusals.locked({ name, holder: who }, { details })
}
