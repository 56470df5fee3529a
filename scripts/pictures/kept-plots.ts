import type { KeptFigure, KeptFigures } from '../kept-figures.ts'
import type { BarPlot } from './plots.ts'

/** A plot of figures that docs/bench/latest.json keeps. */
export interface KeptPlot {
  readonly file: string
  /** What it shows, for readers who do not see it. */
  readonly alternative: string
  readonly plot: BarPlot
}

/** The plots whose figures are kept; a machine on which a bench was not run has fewer. */
export function keptPlots({ subjects }: KeptFigures): readonly KeptPlot[] {
  const figures = Object.values(subjects).flatMap((subject) => subject.figures)
  return [startPlot(figures), growthPlot(figures)].filter((plot) => plot !== undefined)
}

const WALL = 'peers.start.wall.'
const CPU = 'peers.start.cpu.'

function startPlot(figures: readonly KeptFigure[]): KeptPlot | undefined {
  const walls = figures.filter(({ name }) => name.startsWith(WALL)).sort((a, b) => a.against - b.against)
  const [first] = walls
  if (!first) return undefined
  const peers = walls.map(({ name }) => name.slice(WALL.length))
  const processor = (peer: string | undefined) => figures.find(({ name }) => name === `${CPU}${peer}`)
  const seconds = (ms: number | undefined): number => (ms ?? 0) / 1000
  const own = processor(peers[0])?.ours
  const values = {
    time: [first.ours, ...walls.map(({ against }) => against)].map(seconds),
    'processor time': [own, ...peers.map((peer) => processor(peer)?.against)].map(seconds),
  }
  return {
    file: 'start.svg',
    alternative: 'Seconds from the start of an MCP server to its list of tools: satchel and other servers.',
    plot: {
      title: 'From the start of an MCP server to its list of tools',
      unit: 'seconds',
      labels: ['satchel', ...peers],
      series: rounded(values),
      max: roomFor(Math.max(...values.time, ...values['processor time'])),
    },
  }
}

/** What of each curve a person would ask for. */
const SHOWN: Readonly<Record<string, string>> = {
  'records.hook': 'hook',
  'records.list': 'list',
  'records.search': 'search',
  'modules.search': 'modules',
  'document.commit': 'commit',
  'events.each': 'event',
  'readers.delivery': 'reader',
  'plugins.start': 'plugin',
}

function growthPlot(figures: readonly KeptFigure[]): KeptPlot | undefined {
  const curves = Object.entries(SHOWN).flatMap(([name, label]) => {
    const figure = figures.find((one) => one.name === `curves.${name}`)
    return figure ? [{ label, figure }] : []
  })
  if (curves.length === 0) return undefined
  const values = {
    // What falls as the size grows does not grow.
    measured: curves.map(({ figure }) => Math.max(0, figure.ours)),
    'at most': curves.map(({ figure }) => figure.against),
  }
  return {
    file: 'growth.svg',
    alternative:
      'Exponents by which costs grow, beside those that are promised: 0 does not grow, 1 grows as the size does.',
    plot: {
      title: 'How costs grow: 0 does not, 1 as the size does',
      unit: 'exponent',
      labels: curves.map(({ label }) => label),
      series: rounded(values),
      max: roomFor(Math.max(...values.measured, ...values['at most'])),
    },
  }
}

function rounded(series: Readonly<Record<string, readonly number[]>>): Record<string, readonly number[]> {
  const short = (value: number): number => Number(value.toPrecision(2))
  return Object.fromEntries(Object.entries(series).map(([name, values]) => [name, values.map(short)]))
}

/** The end of an axis for values up to `most`: a round number above it. */
function roomFor(most: number): number {
  const step = 10 ** Math.floor(Math.log10(most))
  return Number((Math.ceil(most / step) * step).toPrecision(2))
}
