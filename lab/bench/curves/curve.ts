import { type Figure, limitFigure } from '../figure.ts'

/** What one thing costs at rising sizes. */
export interface Curve {
  /** `records.list`. */
  readonly name: string
  readonly what: string
  readonly unit: string
  readonly points: readonly Point[]
  /** The largest exponent that is promised; see `exponentOf`. */
  readonly goal: number
}

export interface Point {
  readonly size: number
  readonly cost: number
}

/** A cost that grows as its size does has an exponent of 1: twice of that would be a square. */
const GATE_BEYOND = 0.25

/**
 * How a cost grows: the slope of its logarithm over that of the size, by least squares. 0 does not grow, 1 grows as the
 * size does. Points without a size or a cost above 0 say nothing.
 */
export function exponentOf(points: readonly Point[]): number {
  const known = points.filter(({ size, cost }) => size > 0 && cost > 0)
  const xs = known.map(({ size }) => Math.log(size))
  const ys = known.map(({ cost }) => Math.log(cost))
  const [meanX, meanY] = [meanOf(xs), meanOf(ys)]
  const spread = xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0)
  if (spread === 0) return Number.NaN
  return xs.reduce((sum, x, at) => sum + (x - meanX) * ((ys[at] ?? 0) - meanY), 0) / spread
}

/** The exponent of a curve beside its goal, with all of its points. */
export function curveFigure({ name, what, unit, points, goal }: Curve): Figure {
  const measured = points.map(({ size, cost }) => `${shortened(cost)} at ${size}`).join(', ')
  return limitFigure({
    name: `curves.${name}`,
    what: `exponent of ${what} (${unit}: ${measured})`,
    unit: 'exponent',
    ours: exponentOf(points),
    limit: goal,
    gate: 1 + GATE_BEYOND / goal,
  })
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function shortened(value: number): string {
  return Number(value.toPrecision(3)).toString()
}
