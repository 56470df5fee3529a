import { randomBytes } from 'node:crypto'
import type { RandomBytes } from '../domain/identity.ts'
import type { Micros } from '../domain/moment.ts'
import type { RoomSeams } from '../engine/open-room.ts'

/** What tests replace; the real ones by default. */
export interface RoomWorld {
  nowMicros(): Micros
  readonly random: RandomBytes
  readonly engine?: RoomSeams
}

/** How far the machine's clock may run ahead of the process's before it is followed. */
const PARTED_MS = 1000

/**
 * The time of day in whole microseconds, a precision that `Date` does not have. The process's own clock stands still
 * while the machine sleeps: when the machine's has run ahead, that one counts. It is not followed back.
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
