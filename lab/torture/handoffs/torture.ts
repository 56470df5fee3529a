import { cutEverywhere, cutPower } from '../power-cuts.ts'
import type { StoreTorture } from '../store-command.ts'
import { killWriters } from './kills.ts'
import { longLife, shortLife } from './life.ts'
import { work } from './victim.ts'

/** The crash tests of the handoff store. */
export const handoffTorture: StoreTorture = {
  everywhere: (seed) => cutEverywhere({ seed, live: shortLife }),
  cuts: (options) => cutPower({ ...options, live: longLife }),
  kills: killWriters,
  work,
}
