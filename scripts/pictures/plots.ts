import { type EChartsCoreOption, init } from 'echarts'

const [WIDTH, HEIGHT] = [760, 320]

/** Echarts writes colours into every element; these replace the grey ones where a page is dark. */
const DARK = `
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    path[stroke="#dbdee4"] { stroke: #30363d }
    path[stroke="#54555a"] { stroke: #9da7b3 }
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
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT })
  try {
    chart.setOption(optionsOf(plot))
    const svg = chart.renderToSVGString({ useViewBox: true })
    // What a page would react to; counters of the process are in the names of the classes.
    const named = svg
      .replaceAll(/ (?:class|ecmeta_\w+)="[^"]*"/g, '')
      .replaceAll(/<style >.*?<\/style>\n?/gs, '')
    const [head = '', ...body] = named.split('\n')
    const styled = [
      head.replace('<svg ', '<svg role="img" '),
      `<title>${plot.title}</title>`,
      `<style>${DARK}</style>`,
    ]
    return `${[...styled, ...body].join('\n').trimEnd()}\n`
  } finally {
    chart.dispose()
  }
}

function optionsOf({ unit, labels, series, max }: BarPlot): EChartsCoreOption {
  return {
    animation: false,
    textStyle: { fontFamily: 'system-ui, sans-serif' },
    grid: { left: 60, right: 16, top: 56, bottom: 40 },
    legend: { top: 4, itemGap: 28 },
    color: ['#4269d0', '#d97706'],
    xAxis: { type: 'category', data: [...labels], axisLabel: { interval: 0 } },
    yAxis: { type: 'value', max, name: unit, nameLocation: 'middle', nameGap: 40 },
    series: Object.entries(series).map(([name, data]) => ({
      type: 'bar',
      name,
      data: [...data],
      label: { show: true, position: 'top', color: '#54555a' },
    })),
  }
}
