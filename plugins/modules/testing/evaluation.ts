/** How good a ranking is, judged against what is relevant (binary). */
export interface Quality {
  readonly ndcg10: number
  readonly mrr: number
  readonly recall5: number
}

/** One judged query; `relevant` names modules as `owner/name//path`, or as the ranking does. */
export interface JudgedQuery {
  readonly query: string
  readonly kind: string
  readonly relevant: readonly string[]
}

const RANKED = 10
const MRR_DEPTH = 50
const RECALL_DEPTH = 5

/** nDCG@10 with gain 1 and the ideal over min(10, relevant); MRR of the first relevant in the top 50; recall in the top 5. */
export function judge(ranking: readonly string[], relevant: readonly string[]): Quality {
  const gain = (at: number): number => 1 / Math.log2(at + 2)
  const sum = (places: readonly number[]): number => places.reduce((total, at) => total + gain(at), 0)
  const hits = ranking.flatMap((id, at) => (relevant.includes(id) ? [at] : []))
  const ideal = sum(Array.from({ length: Math.min(RANKED, relevant.length) }, (_, at) => at))
  const first = hits[0]
  return {
    ndcg10: ideal === 0 ? 0 : sum(hits.filter((at) => at < RANKED)) / ideal,
    mrr: first === undefined || first >= MRR_DEPTH ? 0 : 1 / (first + 1),
    recall5:
      hits.filter((at) => at < RECALL_DEPTH).length / Math.max(1, Math.min(RECALL_DEPTH, relevant.length)),
  }
}

/** The mean of several qualities; zeros for none. */
export function meanQuality(all: readonly Quality[]): Quality {
  const mean = (pick: (one: Quality) => number): number =>
    all.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, all.length)
  return {
    ndcg10: mean((one) => one.ndcg10),
    mrr: mean((one) => one.mrr),
    recall5: mean((one) => one.recall5),
  }
}

/** How far one ranking is from another over the same queries, and how sure that is. */
export interface Difference {
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
export function pairedDifference(ours: readonly number[], baseline: readonly number[]): Difference {
  const differences = ours.map((value, at) => value - (baseline[at] ?? 0))
  const count = Math.max(1, differences.length)
  const random = drawer(count)
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let n = 0; n < count; n++) sum += differences[random()] ?? 0
    return sum / count
  }).sort((a, b) => a - b)
  const mean = differences.reduce((sum, value) => sum + value, 0) / count
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
