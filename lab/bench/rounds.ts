import type { Figure } from './figure.ts'

/** Every round of both sides of a figure, in its unit. */
export type Rounds = NonNullable<Figure['rounds']>

const WARM_UP_MS = 5_000

/**
 * Measures both sides in turns, so that what else the machine does falls on each. `warmUp`: so many rounds of both come
 * before, at most 5 s of them, so that each side is measured with compiled code.
 */
export async function inTurns(
  count: number,
  sides: Readonly<Record<keyof Rounds, () => Promise<number>>>,
  warmUp = 0,
): Promise<Rounds> {
  const warmBy = performance.now() + WARM_UP_MS
  for (let round = 0; round < warmUp && performance.now() < warmBy; round += 1) {
    await sides.ours()
    await sides.against()
  }
  const rounds = { ours: [] as number[], against: [] as number[] }
  for (let round = 0; round < count; round += 1) {
    rounds.ours.push(await sides.ours())
    rounds.against.push(await sides.against())
  }
  return rounds
}

/** The best of each side by itself: noise only takes away, and rarely from both in one round. */
export function bestOf(
  rounds: Rounds,
  sense: Figure['sense'],
): Required<Pick<Figure, 'ours' | 'against' | 'rounds' | 'sense'>> {
  const best = sense === 'at_most' ? Math.min : Math.max
  return { ours: best(...rounds.ours), against: best(...rounds.against), rounds, sense }
}
