import type { Figure } from './figure.ts'

/** Every round of both sides of a figure, in its unit. */
export type Rounds = NonNullable<Figure['rounds']>

/** Measures both sides in turns, so that what else the machine does falls on each. */
export async function inTurns(
  count: number,
  sides: Readonly<Record<keyof Rounds, () => Promise<number>>>,
): Promise<Rounds> {
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
