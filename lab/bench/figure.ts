import { percentile } from '../percentile.ts'

/** One measured figure: ours against a floor or a peer of the same run. */
export interface Figure {
  /** `start.help`. */
  readonly name: string
  readonly what: string
  readonly unit: string
  readonly ours: number
  /** What it is compared with, in the same unit. */
  readonly against: number
  readonly against_what: string
  readonly ratio: number
  /** What we promise, as a ratio. */
  readonly goal: number
  /** What the gate lets pass: half as strict, so that a loaded machine does not turn red (toolchain, section 6). */
  readonly gate: number
  readonly sense: 'at_most' | 'at_least'
  /** Every round of both sides, where `ours` and `against` are the best of several. */
  readonly rounds?: { readonly ours: readonly number[]; readonly against: readonly number[] }
}

/** How much weaker than its goal a gated figure may be. */
const GATE_SLACK = 2

/** A figure whose ratio is ours / against. */
export function figureOf(
  parts: Omit<Figure, 'ratio' | 'gate' | 'sense'> & {
    readonly sense?: Figure['sense']
    readonly gate?: number
  },
): Figure {
  const {
    sense = 'at_most',
    goal,
    gate = sense === 'at_most' ? goal * GATE_SLACK : goal / GATE_SLACK,
  } = parts
  return { ...parts, ratio: parts.ours / parts.against, sense, gate }
}

const LIMIT = 'the limit'

/** A figure that is promised to stay below `limit`, in its unit. */
export function limitFigure({
  limit,
  ...parts
}: Pick<Figure, 'name' | 'what' | 'unit' | 'ours'> & {
  readonly limit: number
  readonly gate?: number
}): Figure {
  return figureOf({ ...parts, against: limit, against_what: LIMIT, goal: 1 })
}

/**
 * The figure as the gate judges it on a machine that is `slowness` times as slow as the one that limits are stated for: a
 * limit in milliseconds is the only kind of figure that is not a ratio of one run. Its goal stays.
 */
export function gatedOn(figure: Figure, slowness: number): Figure {
  const isTime = figure.unit === 'ms' && figure.against_what === LIMIT
  return isTime ? { ...figure, gate: figure.gate * slowness } : figure
}

/** Whether a figure keeps its goal, or only what the gate lets pass. */
export function keeps(figure: Figure, limit: 'goal' | 'gate'): boolean {
  return figure.sense === 'at_most' ? figure.ratio <= figure[limit] : figure.ratio >= figure[limit]
}

/** The figures as lines for a person. */
export function figureTable(figures: readonly Figure[]): string {
  return figures.map(lineOf).join('\n')
}

function lineOf(figure: Figure): string {
  const verdict = keeps(figure, 'goal') ? 'ok' : keeps(figure, 'gate') ? 'over the goal' : 'OVER THE GATE'
  const sign = figure.sense === 'at_most' ? '<=' : '>='
  const sides = `${rounded(figure.ours)} ${figure.unit} against ${rounded(figure.against)} (${figure.against_what})`
  return `${figure.name.padEnd(22)} ${rounded(figure.ratio)} ${sign} ${rounded(figure.goal)}  ${verdict}\n${' '.repeat(23)}${figure.what}: ${sides}${mediansOf(figure)}`
}

function mediansOf({ rounds }: Figure): string {
  if (!rounds) return ''
  const [ours, against] = [rounds.ours, rounds.against].map((values) => rounded(percentile(values, 0.5)))
  return `, medians ${ours} and ${against}`
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
