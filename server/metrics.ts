import type { CallObserver } from './call-record.ts'
import type { Measurement } from './contract/advanced/measurement.ts'
import type { LoopDelay } from './platform/loop-delay.ts'

/** Upper bounds of the buckets, in seconds. */
const BUCKETS_S: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600]
const MS_PER_S = 1000

type Labels = Readonly<Record<string, string>>

/** What a server counts about itself, for `/metrics`. */
export interface Metrics {
  readonly onCall: CallObserver
  requested(listener: string, method: string, status: number): void
  /** The text in the format of OpenMetrics 1.0. */
  text(gauges: Gauges): string
}

export interface Gauges {
  readonly streams: number
  readonly loopDelay: LoopDelay | undefined
  /** Those of the plugins, under whole names. */
  readonly measurements?: readonly Measurement[]
}

/** Counts from zero. Labels are names of tools, doors, methods and codes only, so their number is bounded. */
export function createMetrics(): Metrics {
  const calls = createCounter()
  const requests = createCounter()
  const durations = createHistogram()
  return {
    onCall({ tool, door, ms, ended }) {
      calls.add({ tool, door, outcome: ended.kind === 'refused' ? ended.code : 'ok' })
      durations.add({ tool }, ms / MS_PER_S)
    },
    requested: (listener, method, status) => requests.add({ listener, method, status: String(status) }),
    text({ streams, loopDelay, measurements = [] }) {
      const { rss, heapUsed } = process.memoryUsage()
      const cpu = process.cpuUsage()
      return [
        ...family('satchel_calls', 'counter', 'Calls of tools.', calls.lines('satchel_calls_total')),
        ...family(
          'satchel_call_duration_seconds',
          'histogram',
          'Time of calls of tools.',
          durations.lines('satchel_call_duration_seconds'),
          'seconds',
        ),
        ...family(
          'satchel_http_requests',
          'counter',
          'Requests to the listeners.',
          requests.lines('satchel_http_requests_total'),
        ),
        ...family('satchel_streams', 'gauge', 'Open event streams.', [`satchel_streams ${streams}`]),
        ...(loopDelay ? loopDelayLines(loopDelay) : []),
        ...measurements.flatMap(measurementLines),
        ...family(
          'process_resident_memory_bytes',
          'gauge',
          'Resident memory.',
          [`process_resident_memory_bytes ${rss}`],
          'bytes',
        ),
        ...family(
          'nodejs_heap_used_bytes',
          'gauge',
          'Used heap.',
          [`nodejs_heap_used_bytes ${heapUsed}`],
          'bytes',
        ),
        ...family(
          'process_cpu_seconds',
          'counter',
          'Processor time.',
          [`process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`],
          'seconds',
        ),
        '# EOF',
        '',
      ].join('\n')
    },
  }
}

function measurementLines({ name, kind, help, unit, value }: Measurement): string[] {
  const line = kind === 'counter' ? `${name}_total ${value}` : `${name} ${value}`
  return family(name, kind, help.replaceAll(/\s+/g, ' '), [line], unit)
}

function loopDelayLines({ p50, p99, max }: LoopDelay): string[] {
  const name = 'satchel_event_loop_delay_seconds'
  const lines = Object.entries({ '0.5': p50, '0.99': p99, '1': max }).map(
    ([quantile, ms]) => `${name}${labelled({ quantile })} ${ms / MS_PER_S}`,
  )
  return family(name, 'gauge', 'Delay of the event loop in the last minute.', lines, 'seconds')
}

function family(name: string, type: string, help: string, lines: readonly string[], unit?: string): string[] {
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...lines,
  ]
}

function createCounter() {
  const counts = new Map<string, number>()
  return {
    add(labels: Labels): void {
      const key = labelled(labels)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    lines: (name: string) => [...counts].map(([labels, count]) => `${name}${labels} ${count}`),
  }
}

interface Series {
  readonly labels: Labels
  readonly buckets: number[]
  sum: number
  count: number
}

function createHistogram() {
  const all = new Map<string, Series>()
  return {
    add(labels: Labels, value: number): void {
      const key = labelled(labels)
      const series = all.get(key) ?? { labels, buckets: BUCKETS_S.map(() => 0), sum: 0, count: 0 }
      all.set(key, series)
      series.sum += value
      series.count += 1
      for (const [index, bound] of BUCKETS_S.entries())
        if (value <= bound) series.buckets[index] = (series.buckets[index] ?? 0) + 1
    },
    lines: (name: string) =>
      [...all].flatMap(([key, { labels, buckets, sum, count }]) => [
        ...BUCKETS_S.map(
          (bound, index) =>
            `${name}_bucket${labelled({ ...labels, le: boundText(bound) })} ${buckets[index]}`,
        ),
        `${name}_bucket${labelled({ ...labels, le: '+Inf' })} ${count}`,
        `${name}_count${key} ${count}`,
        `${name}_sum${key} ${sum}`,
      ]),
  }
}

/** OpenMetrics writes a bound as a float: `1.0`. */
function boundText(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
