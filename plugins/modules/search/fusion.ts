export interface Weights {
  readonly keyword: number
  readonly vector: number
}

/** Scores of candidates by their number: each list scaled to 0..1, and the weighted sum. */
export interface Fused {
  readonly keyword: Float64Array
  readonly vector: Float64Array
  readonly scores: Float64Array
}

/**
 * Weighted sum of two score lists over the same candidates, each min-max scaled to 0..1 (a list without spread scales to
 * 1 where it is positive). The weights must not both be 0.
 */
export function fuse(keyword: Float64Array, vector: Float64Array, weights: Weights): Fused {
  const scaled = { keyword: scale(keyword), vector: scale(vector) }
  const sum = weights.keyword + weights.vector
  const scores = new Float64Array(keyword.length)
  for (let at = 0; at < scores.length; at++)
    scores[at] =
      (weights.keyword * (scaled.keyword[at] ?? 0) + weights.vector * (scaled.vector[at] ?? 0)) / sum
  return { ...scaled, scores }
}

function scale(values: Float64Array): Float64Array {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (high === low) return values.map((value) => (value > 0 ? 1 : 0))
  return values.map((value) => (value - low) / (high - low))
}
