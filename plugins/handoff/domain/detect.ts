/** Signals of a session, each 0 to 1; absent is unknown. */
export interface DetectSignals {
  /** How full the context is. */
  readonly context?: number | undefined
  readonly turn?: number | undefined
  readonly elapsed?: number | undefined
  readonly change?: number | undefined
  /** How stuck the work is. */
  readonly stuck?: number | undefined
  /** How near a natural end of a step is. */
  readonly boundary?: number | undefined
  /** Somebody asked for a handoff. */
  readonly request?: boolean | undefined
}

export interface DetectFacts {
  /** Minutes since this session's last record; absent: it has none. */
  readonly minutesSinceRecord?: number | undefined
  /** Quality of this session's draft; absent: it has none. */
  readonly draftQuality?: number | undefined
}

export interface Detection {
  readonly score: number
  readonly reasons: readonly string[]
  readonly recommend: boolean
  readonly prepare: boolean
  readonly inputs_used: readonly string[]
}

// design handoff, section 12
const RECOMMEND_FROM = 0.7
const PREPARE_FROM = 0.85
const PREPARE_QUALITY = 80
const COOLDOWN_MINUTES = 20

type Signal = 'context' | 'turn' | 'elapsed' | 'change' | 'stuck' | 'boundary'
/** Each term starts with its main signal: without that one it is left out. */
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

/** Whether it is time for a handoff. Nothing is guessed: an absent signal leaves its sum, the others are weighed anew. */
export function detect(signals: DetectSignals, facts: DetectFacts): Detection {
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

const SAID: Readonly<Record<Signal, string>> = {
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
      .map(({ signal, value }) => `${SAID[signal]} (${value})`),
    used: present.map(({ signal }) => signal),
  }
}
