import { randomBytes } from 'node:crypto'
import type { RandomBytes } from '../domain/identity.ts'
import type { Micros } from '../domain/moment.ts'
import type { RoomSeams } from '../engine/open-room.ts'

/** What tests may replace. */
export interface RoomWorld {
  nowMicros(): Micros
  readonly random: RandomBytes
  readonly engine?: RoomSeams
  /** Runs an action once, `ms` milliseconds later, without keeping the process alive. Absent: a timer of this machine. */
  readonly after?: (ms: number, action: () => void) => void
}

/** The lead of the wall clock over the monotonic one above which the wall clock wins. */
const PARTED_MS = 1000

/**
 * The time of day in whole microseconds, a precision that `Date` does not have. The monotonic clock stops while the
 * machine sleeps: when the wall clock is ahead of it, the wall clock wins. A wall clock that is set back is ignored.
 */
export function createWallClock(
  wallMs = Date.now,
  elapsedMs = () => performance.now(),
  startMs = performance.timeOrigin,
): () => Micros {
  let originMs = startMs
  return () => {
    const elapsed = elapsedMs()
    const wall = wallMs()
    if (wall - (originMs + elapsed) > PARTED_MS) originMs = wall - elapsed
    return Math.floor((originMs + elapsed) * 1000)
  }
}

/** This machine's time and randomness. */
export const realWorld: RoomWorld = {
  nowMicros: createWallClock(),
  random: (size) => randomBytes(size),
}
