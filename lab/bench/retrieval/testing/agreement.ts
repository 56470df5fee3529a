/** How far two people agree on the grades of the same pairs. */
export interface Agreement {
  readonly pairs: number
  /** Share of pairs with the same grade. */
  readonly same: number
  /** Cohen's kappa: agreement beyond chance, 1 is perfect. */
  readonly kappa: number
  /** The same where a difference of two grades counts four times as much as one of one. */
  readonly weighted: number
}

export interface GradedTwice {
  readonly first: number
  readonly second: number
}

const MOST = 2

/** Agreement on grades 0 to 2; kappa is 1 when chance leaves nothing to disagree about. */
export function agreementOf(pairs: readonly GradedTwice[]): Agreement {
  const unlike = (first: number, second: number): number => Number(first !== second)
  const apart = (first: number, second: number): number => ((first - second) / MOST) ** 2
  const different = meanOf(pairs.map(({ first, second }) => unlike(first, second)))
  return {
    pairs: pairs.length,
    same: 1 - different,
    kappa: kappaOf(pairs, unlike),
    weighted: kappaOf(pairs, apart),
  }
}

/** 1 - seen / expected disagreement, where any first grade could have met any second one. */
function kappaOf(pairs: readonly GradedTwice[], distance: (first: number, second: number) => number): number {
  const seen = meanOf(pairs.map(({ first, second }) => distance(first, second)))
  const expected = meanOf(pairs.flatMap(({ first }) => pairs.map(({ second }) => distance(first, second))))
  return expected === 0 ? 1 : 1 - seen / expected
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
