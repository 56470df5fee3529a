/** How good a ranking is, judged against what is relevant. */
export interface Quality {
  readonly ndcg10: number
  /** 1 when the first result is relevant, otherwise 0. */
  readonly hit1: number
  readonly mrr: number
  readonly recall5: number
}

/** Module, as `owner/name//path` or as the ranking names it -> 2: what is asked for, 1: helps. Others are not relevant. */
export type Grades = Readonly<Record<string, number>>

/** One judged query. A query that nothing fits has no grades. */
export interface JudgedQuery {
  readonly query: string
  readonly kind: string
  readonly grades: Grades
}

const RANKED = 10
const MRR_DEPTH = 50
const RECALL_DEPTH = 5

/**
 * nDCG@10 with gain 2^grade - 1 and the ideal over the ten best grades; MRR of the first relevant in the top 50; recall
 * in the top 5.
 */
export function judge(ranking: readonly string[], grades: Grades): Quality {
  const gains = ranking.slice(0, RANKED).map((id) => gainOf(grades[id]))
  const ideal = Object.values(grades)
    .map(gainOf)
    .sort((a, b) => b - a)
  const best = discounted(ideal.slice(0, RANKED))
  const relevant = ideal.filter((gain) => gain > 0).length
  const first = ranking.findIndex((id) => gainOf(grades[id]) > 0)
  const found = ranking.slice(0, RECALL_DEPTH).filter((id) => gainOf(grades[id]) > 0).length
  return {
    ndcg10: best === 0 ? 0 : discounted(gains) / best,
    hit1: first === 0 ? 1 : 0,
    mrr: first === -1 || first >= MRR_DEPTH ? 0 : 1 / (first + 1),
    recall5: found / Math.max(1, Math.min(RECALL_DEPTH, relevant)),
  }
}

/** Grades for modules that are all as relevant as can be. */
export function relevantOnly(ids: readonly string[]): Grades {
  return Object.fromEntries(ids.map((id) => [id, 2]))
}

function gainOf(grade: number | undefined): number {
  return 2 ** (grade ?? 0) - 1
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0)
}

/** The mean of several qualities; zeros for none. */
export function meanQuality(all: readonly Quality[]): Quality {
  const mean = (pick: (one: Quality) => number): number =>
    all.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, all.length)
  return {
    ndcg10: mean((one) => one.ndcg10),
    hit1: mean((one) => one.hit1),
    mrr: mean((one) => one.mrr),
    recall5: mean((one) => one.recall5),
  }
}

/** A mean over queries, and how sure it is. */
export interface Interval {
  readonly mean: number
  /** Ends of the 95 % interval. */
  readonly low: number
  readonly high: number
}

const RESAMPLES = 5000

/**
 * Paired bootstrap: the mean of the differences query by query, and the interval in which 95 % of the means of as many
 * queries drawn again lie. The draws are the same on every run.
 */
export function pairedDifference(ours: readonly number[], baseline: readonly number[]): Interval {
  return meanInterval(ours.map((value, at) => value - (baseline[at] ?? 0)))
}

/** Bootstrap: the mean, and the interval in which 95 % of the means of as many values drawn again lie; the same on every run. */
export function meanInterval(values: readonly number[]): Interval {
  const count = Math.max(1, values.length)
  const random = drawer(count)
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let n = 0; n < count; n++) sum += values[random()] ?? 0
    return sum / count
  }).sort((a, b) => a - b)
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  return { mean, low: means[RESAMPLES * 0.025] ?? mean, high: means[RESAMPLES * 0.975 - 1] ?? mean }
}

/** Whole numbers below `limit` in a fixed order that looks like chance (a linear congruence; its high bits). */
function drawer(limit: number): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
