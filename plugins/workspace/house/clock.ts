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

/** This machine's time (a `Date` has milliseconds only) and randomness. */
export const realWorld: RoomWorld = {
  nowMicros: () => Math.floor((performance.timeOrigin + performance.now()) * 1000),
  random: (size) => randomBytes(size),
}
