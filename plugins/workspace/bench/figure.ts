/** One measured figure: ours against a floor of the same run, or against the limit we promise. */
export interface Figure {
  readonly name: string
  readonly what: string
  readonly unit: string
  readonly ours: number
  readonly against: number
  readonly against_what: string
  readonly ratio: number
  /** What we promise, as a ratio. */
  readonly goal: number
  /** Half as strict, so that a loaded machine does not turn red. */
  readonly gate: number
  readonly sense: 'at_least' | 'at_most'
}

const GATE_SLACK = 2

export function figureOf(parts: Omit<Figure, 'ratio' | 'gate'>): Figure {
  const gate = parts.sense === 'at_least' ? parts.goal / GATE_SLACK : parts.goal * GATE_SLACK
  return { ...parts, ratio: parts.ours / parts.against, gate }
}

export function keeps(figure: Figure, limit: 'goal' | 'gate'): boolean {
  return figure.sense === 'at_least' ? figure.ratio >= figure[limit] : figure.ratio <= figure[limit]
}

/** The figures for a person. */
export function figureText(figures: readonly Figure[]): string {
  return figures.map((figure) => `${lineOf(figure)}\n`).join('')
}

function lineOf(figure: Figure): string {
  const verdict = keeps(figure, 'goal')
    ? 'ok'
    : keeps(figure, 'gate')
      ? 'short of the goal'
      : 'SHORT OF THE GATE'
  const sign = figure.sense === 'at_least' ? '>=' : '<='
  const sides = `${figure.ours.toFixed(1)} ${figure.unit} against ${figure.against.toFixed(1)} (${figure.against_what})`
  return `${figure.name.padEnd(24)} ${figure.ratio.toFixed(2)} ${sign} ${figure.goal}  ${verdict}\n    ${figure.what}: ${sides}`
}
