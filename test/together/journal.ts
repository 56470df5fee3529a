import { createHistogram } from 'node:perf_hooks'

/** One end of a wait. */
export interface Woken {
  readonly proposal_id: string
  readonly happened: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What the participants of a run sent, and what they were answered. */
export interface Journal {
  /** Summaries of proposals that were sent. */
  readonly sent: Set<string>
  /** Summaries of proposals by id that were acknowledged. */
  readonly proposed: Map<string, string>
  /** Versions that a commit was acknowledged with, by the id of the proposal. */
  readonly committed: Map<string, number>
  readonly woken: Woken[]
  /** Texts that people typed: each was sent as the reason of its own proposal too. */
  readonly typed: Set<string>
  /** Texts that were missing from a page. */
  readonly lost: string[]
  /** Reasons of refusals, with how often. */
  readonly refusals: Map<string, number>
  refused(reason: string): void
  /** Times a call by its name. */
  timed<T>(name: string, work: () => Promise<T>): Promise<T>
  /** A line for each timed call: how often, median, 99th percentile, longest. */
  times(): readonly string[]
}

/** An empty one. */
export function createJournal(): Journal {
  const refusals = new Map<string, number>()
  const took = new Map<string, number[]>()
  return {
    sent: new Set(),
    proposed: new Map(),
    committed: new Map(),
    woken: [],
    typed: new Set(),
    lost: [],
    refusals,
    refused(reason) {
      refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
    },
    async timed(name, work) {
      const began = performance.now()
      const found = await work()
      const all = took.get(name) ?? []
      took.set(name, [...all, performance.now() - began])
      return found
    },
    times: () =>
      [...took].sort(([a], [b]) => a.localeCompare(b)).map(([name, all]) => `${name}: ${spread(all)}`),
  }
}

/** Count, median, 99th percentile and longest of milliseconds. */
export function spread(all: readonly number[]): string {
  const seen = createHistogram()
  for (const ms of all) seen.record(Math.max(1, Math.round(ms)))
  const [median, p99] = [seen.percentile(50), seen.percentile(99)]
  return `${all.length} times, median ${median}, p99 ${p99}, longest ${all.length === 0 ? 0 : seen.max} ms`
}
