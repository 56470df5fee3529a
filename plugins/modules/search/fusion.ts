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
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    if (value < low) low = value
    if (value > high) high = value
  }
  const scaled = new Float64Array(values.length)
  const range = high - low
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    scaled[at] = high === low ? (value > 0 ? 1 : 0) : (value - low) / range
  }
  return scaled
}

/**
 * Sets the likeness of candidates to 0 that share no word and no concept with the query: they share no feature of the
 * built-in vectors either, so that it is a collision. `rows`: -1 for a record of which the words are not known.
 */
export function leaveOutCollisions(
  cosines: Float64Array,
  shared: Float64Array,
  rows: readonly number[],
): void {
  for (let at = 0; at < cosines.length; at++)
    if ((rows[at] ?? -1) >= 0 && (shared[at] ?? 0) === 0) cosines[at] = 0
}

/** The scores of rows, by the text of each; 0 for a row of -1. */
export function scoresOfRows(
  rows: readonly number[],
  texts: Uint32Array,
  scores: Float64Array,
): Float64Array {
  const values = new Float64Array(rows.length)
  for (let at = 0; at < values.length; at++) {
    const row = rows[at] ?? -1
    values[at] = row < 0 ? 0 : (scores[texts[row] ?? 0] ?? 0)
  }
  return values
}

/** The cosines of matches; 0 for a match of -1 and for one without a vector. */
export function cosinesOf(matches: readonly number[], cosines: Float32Array): Float64Array {
  const values = new Float64Array(matches.length)
  for (let at = 0; at < values.length; at++) values[at] = cosines[matches[at] ?? -1] || 0
  return values
}

/** Leaves `share` of the scores of some candidates. */
export function lessen(scores: Float64Array, candidates: readonly number[], share: number): void {
  for (const at of candidates) scores[at] = share * (scores[at] ?? 0)
}
