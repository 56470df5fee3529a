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

/** What each candidate has of a query, before it is scaled. */
export interface Evidence {
  readonly words: Float64Array
  readonly cosines: Float64Array
  /** Whether a candidate has no vector. */
  readonly lacksVectors: boolean
}

interface Lists {
  /** -1 for a record of which the words are not known. */
  readonly rows: Int32Array
  /** -1 for a record without a vector. */
  readonly matches: Int32Array
  /** The text of each row, and the scores of texts; absent: no words were looked up. */
  readonly texts: Uint32Array
  readonly scores: Float64Array | undefined
  /** NaN where a match has no vector. */
  readonly cosines: Float32Array | undefined
}

/**
 * The score and the likeness of each candidate. `leavesOutCollisions`: candidates that share no word and no concept with
 * the query share no feature of the built-in vectors either, so that their likeness is a collision.
 */
export function evidenceOf(
  { rows, matches, texts, scores, cosines: found }: Lists,
  leavesOutCollisions: boolean,
): Evidence {
  const words = scores ? scoresOfRows(rows, texts, scores) : new Float64Array(rows.length)
  const cosines = new Float64Array(rows.length)
  let lacksVectors = found === undefined
  for (let at = 0; at < rows.length; at++) {
    const match = matches[at] ?? -1
    const cosine = match < 0 ? Number.NaN : (found?.[match] ?? Number.NaN)
    if (!Number.isFinite(cosine)) lacksVectors = true
    else if (!leavesOutCollisions || (rows[at] ?? -1) < 0 || words[at] !== 0) cosines[at] = cosine
  }
  return { words, cosines, lacksVectors }
}

/** The scores of rows, by the text of each; 0 for a row of -1. */
function scoresOfRows(rows: Int32Array, texts: Uint32Array, scores: Float64Array): Float64Array {
  const values = new Float64Array(rows.length)
  for (let at = 0; at < values.length; at++) {
    const row = rows[at] ?? -1
    values[at] = row < 0 ? 0 : (scores[texts[row] ?? 0] ?? 0)
  }
  return values
}

/** Leaves `share` of the scores of some candidates. */
export function lessen(scores: Float64Array, candidates: Int32Array, share: number): void {
  for (const at of candidates) scores[at] = share * (scores[at] ?? 0)
}
