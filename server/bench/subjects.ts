import type { Figure } from '../contract/advanced/figure.ts'

/** What `satchel bench` measures of the host itself; plugins add theirs as commands named `bench <subject>`. */
export interface BenchSubject {
  readonly name: string
  readonly summary: string
  measure(): Promise<readonly Figure[]>
}

/** Each is loaded only when it is measured. */
export const BENCH_SUBJECTS: readonly BenchSubject[] = [
  {
    name: 'start',
    summary: 'start-up, first answers, memory and exit against a bare node',
    measure: async () => (await import('./start-up.ts')).measureStartUp(),
  },
  {
    name: 'calls',
    summary: 'what 100 extra tools add to one call',
    measure: async () => (await import('./tool-count.ts')).measureToolCount(),
  },
  {
    name: 'http',
    summary: 'the capped body reader and the fan-out of streams, per CPU second',
    measure: async () => (await import('./http-figures.ts')).measureHttp(),
  },
  {
    name: 'doors',
    summary: 'server CPU of a tool over MCP against REST',
    measure: async () => (await import('./mcp-vs-rest.ts')).measureMcpAgainstRest(),
  },
]
