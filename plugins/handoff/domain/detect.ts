/** Signals of a session, each 0 to 1; absent if unknown. */
export interface DetectSignals {
  /** Share of the context window in use. */
  readonly context?: number | undefined
  readonly turn?: number | undefined
  readonly elapsed?: number | undefined
  readonly change?: number | undefined
  /** Lack of progress. */
  readonly stuck?: number | undefined
  /** Completeness of the current step. */
  readonly boundary?: number | undefined
  /** A handoff was requested. */
  readonly request?: boolean | undefined
}

export interface DetectFacts {
  /** Minutes since this session's last record; absent: it has none. */
  readonly minutesSinceRecord?: number | undefined
  /** Quality of this session's draft; absent: it has none. */
  readonly draftQuality?: number | undefined
}

// design handoff, section 12
const RECOMMEND_FROM = 0.7
const PREPARE_FROM = 0.85
const PREPARE_QUALITY = 80
const COOLDOWN_MINUTES = 20

type Signal = 'context' | 'turn' | 'elapsed' | 'change' | 'stuck' | 'boundary'
/** Each term starts with its main signal; without it the term is left out. */
const TERMS: readonly (readonly (readonly [Signal, number])[])[] = [
  [
    ['context', 0.7],
    ['turn', 0.15],
    ['elapsed', 0.1],
    ['change', 0.05],
  ],
  [
    ['stuck', 0.6],
    ['boundary', 0.25],
    ['change', 0.15],
  ],
]

/** Tells whether to write a handoff now. An absent signal is left out of the sum and the weights are normalized. */
export function detect(signals: DetectSignals, facts: DetectFacts) {
  const terms = TERMS.map((term) => weigh(term, signals))
  const best = terms.reduce((a, b) => (b.score > a.score ? b : a))
  const requested = signals.request === true
  const score = requested ? 1 : best.score
  const reasons = requested ? ['a handoff was requested'] : best.reasons
  const inCooldown = facts.minutesSinceRecord !== undefined && facts.minutesSinceRecord < COOLDOWN_MINUTES
  return {
    score: Math.round(score * 1000) / 1000,
    reasons: inCooldown ? [...reasons, 'cooldown'] : reasons,
    recommend: score >= RECOMMEND_FROM && !inCooldown,
    prepare: score >= PREPARE_FROM && (facts.draftQuality ?? 0) >= PREPARE_QUALITY,
    inputs_used: [...new Set([...(requested ? ['request'] : []), ...terms.flatMap(({ used }) => used)])],
  }
}

const REASONS: Readonly<Record<Signal, string>> = {
  context: 'context pressure',
  turn: 'many turns',
  elapsed: 'long session',
  change: 'many changes',
  stuck: 'no progress',
  boundary: 'a step is complete',
}
const NOTABLE = 0.5

function weigh(term: readonly (readonly [Signal, number])[], signals: DetectSignals) {
  const [main] = term
  const present = term.flatMap(([signal, weight]) => {
    const value = signals[signal]
    return value === undefined ? [] : [{ signal, weight, value }]
  })
  if (main === undefined || signals[main[0]] === undefined) return { score: 0, reasons: [], used: [] }
  const weights = present.reduce((sum, { weight }) => sum + weight, 0)
  const sum = present.reduce((total, { weight, value }) => total + weight * value, 0)
  return {
    score: sum / weights,
    reasons: present
      .filter(({ value }) => value >= NOTABLE)
      .map(({ signal, value }) => `${REASONS[signal]} (${value})`),
    used: present.map(({ signal }) => signal),
  }
}
