const [WIDTH, HEIGHT] = [760, 320]
const FRAME = { left: 60, right: 744, top: 56, bottom: 280 }
const STEPS = 5
/** The share of a label's width that its bars fill. */
const FILLED = 0.76
const SWATCH = 25
const CHARACTER = 7
const LINE = 15
const COLOURS = ['#4269d0', '#d97706']

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #54555a; text-anchor: middle }
  line { stroke: #dbdee4 }
  .axis { stroke: #54555a }
  .left { text-anchor: start }
  .right { text-anchor: end }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    line { stroke: #30363d }
    .axis { stroke: #9da7b3 }
  }
`

/** One bar of each series above each label. */
export interface BarPlot {
  readonly title: string
  /** The name of the axis of values, with its unit. */
  readonly unit: string
  readonly labels: readonly string[]
  /** Series -> one value a label. */
  readonly series: Readonly<Record<string, readonly number[]>>
  readonly max: number
}

/** Returns a plot as SVG text; the same text for the same values. */
export function barPlot(plot: BarPlot): string {
  const lines = [
    `<svg role="img" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" xmlns="http://www.w3.org/2000/svg">`,
    `<title>${escaped(plot.title)}</title>`,
    `<style>${STYLE}</style>`,
    ...legend(Object.keys(plot.series)),
    ...axes(plot),
    ...bars(plot),
    '</svg>',
  ]
  return `${lines.join('\n')}\n`
}

function legend(names: readonly string[]): readonly string[] {
  const widths = names.map((name) => SWATCH + 5 + name.length * CHARACTER + 28)
  const start = (WIDTH - widths.reduce((sum, width) => sum + width, 0)) / 2
  return names.flatMap((name, at) => {
    const x = start + widths.slice(0, at).reduce((sum, width) => sum + width, 0)
    const swatch = `<rect x="${number(x)}" y="9" width="${SWATCH}" height="14" rx="3" fill="${colour(at)}"/>`
    return [swatch, text({ x: x + SWATCH + 5, y: 20, kind: 'left' }, name)]
  })
}

function axes({ unit, labels, max }: BarPlot): readonly string[] {
  const middle = (FRAME.top + FRAME.bottom) / 2
  const grid = Array.from({ length: STEPS + 1 }, (_, step) => (max * step) / STEPS).flatMap((value) => {
    const y = number(heightOf(value, max))
    const kind = value === 0 ? ' class="axis"' : ''
    return [
      `<line x1="${FRAME.left}" y1="${y}" x2="${FRAME.right}" y2="${y}"${kind}/>`,
      text({ x: FRAME.left - 8, y: Number(y) + 4, kind: 'right' }, number(value)),
    ]
  })
  const names = labels.flatMap((label, at) =>
    linesOf(label, widthOf(labels)).map((line, row) =>
      text({ x: FRAME.left + (at + 0.5) * widthOf(labels), y: FRAME.bottom + 18 + row * LINE }, line),
    ),
  )
  return [
    ...grid,
    `<g transform="rotate(-90 20 ${middle})">${text({ x: 20, y: middle }, unit)}</g>`,
    ...names,
  ]
}

/** A label that is too wide is cut after its first hyphen. */
function linesOf(label: string, width: number): readonly string[] {
  const hyphen = label.indexOf('-') + 1
  return label.length * CHARACTER <= width || hyphen === 0
    ? [label]
    : [label.slice(0, hyphen), label.slice(hyphen)]
}

function bars({ labels, series, max }: BarPlot): readonly string[] {
  const all = Object.values(series)
  const width = (widthOf(labels) * FILLED) / all.length
  return all.flatMap((values, which) =>
    values.flatMap((value, at) => {
      const x = FRAME.left + (at + 0.5) * widthOf(labels) + (which - all.length / 2) * width
      const y = heightOf(value, max)
      const size = `width="${number(width - 2)}" height="${number(FRAME.bottom - y)}"`
      return [
        `<rect x="${number(x + 1)}" y="${number(y)}" ${size} fill="${colour(which)}"/>`,
        text({ x: x + width / 2, y: y - 6 }, number(value)),
      ]
    }),
  )
}

function text(at: { x: number; y: number; kind?: 'left' | 'right' }, words: string): string {
  const kind = at.kind === undefined ? '' : ` class="${at.kind}"`
  return `<text x="${number(at.x)}" y="${number(at.y)}"${kind}>${escaped(words)}</text>`
}

function widthOf(labels: readonly string[]): number {
  return (FRAME.right - FRAME.left) / labels.length
}

function heightOf(value: number, max: number): number {
  return FRAME.bottom - ((FRAME.bottom - FRAME.top) * value) / max
}

function colour(series: number): string {
  return COLOURS[series % COLOURS.length] ?? ''
}

/** At most three decimals, none that is zero. */
function number(value: number): string {
  return String(Number(value.toFixed(3)))
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
