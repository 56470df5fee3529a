/** Scores of one list by record id; higher is better. */
export type Scores = ReadonlyMap<string, number>

export interface Weights {
  readonly keyword: number
  readonly vector: number
}

export interface Fused {
  readonly id: string
  readonly score: number
  readonly keyword: number
  readonly vector: number
}

/**
 * Weighted sum of two score lists over `candidates`, each min-max scaled to 0..1 (a missing score is 0, a list
 * without spread scales to 1 where it is positive). Unsorted. The weights must not both be 0.
 */
export function fuse(
  candidates: readonly string[],
  keyword: Scores,
  vector: Scores,
  weights: Weights,
): Fused[] {
  const scaledKeyword = scale(candidates, keyword)
  const scaledVector = scale(candidates, vector)
  const sum = weights.keyword + weights.vector
  return candidates.map((id, at) => {
    const k = scaledKeyword[at] ?? 0
    const v = scaledVector[at] ?? 0
    return { id, keyword: k, vector: v, score: (weights.keyword * k + weights.vector * v) / sum }
  })
}

function scale(candidates: readonly string[], scores: Scores): number[] {
  const values = candidates.map((id) => scores.get(id) ?? 0)
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (high === low) return values.map((value) => (value > 0 ? 1 : 0))
  return values.map((value) => (value - low) / (high - low))
}
