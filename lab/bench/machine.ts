import { tmpdir } from 'node:os'
import { percentile } from '../percentile.ts'
import { timeToExit } from './host/child.ts'

/** From start to exit of `node -e 0` on the machine that limits in milliseconds are stated for: two cores, quiet. */
export const REFERENCE_BARE_MS = 73
const ROUNDS = 11
/** Beyond this a machine is too busy to judge anything, and the gate says so. */
const MOST = 3

/** How many times as long a bare node takes here and now as on the reference machine: from 1 to 3. */
export async function measureSlowness(): Promise<number> {
  const taken: number[] = []
  for (let round = 0; round < ROUNDS; round++) taken.push(await timeToExit(['-e', '0'], tmpdir()))
  return slownessOf(taken)
}

/** By the median of these times of a bare node, in milliseconds. */
export function slownessOf(taken: readonly number[]): number {
  return Math.min(MOST, Math.max(1, percentile(taken, 0.5) / REFERENCE_BARE_MS))
}
