import * as z from 'zod'
import type { Harness, PlainClient } from './harness.ts'
import { channelOf, missingFacts } from './probes.ts'
import type { HarnessRun } from './run-harness.ts'

/** What was measured in one release of a harness; a file of `recorded/`. */
export const measurement = z.strictObject({
  harness: z.string(),
  version: z.string(),
  measured: z.iso.date(),
  /** Parameters of its `initialize`. */
  initialize: z.looseObject({ clientInfo: z.looseObject({ name: z.string(), version: z.string() }) }),
  channel: z.enum(['text', 'data', 'both', 'neither']),
  channel_on_error: z.enum(['text', 'data', 'both', 'neither']),
  /** By tool: how many facts there are, and which of them did not reach the model. */
  facts: z.record(z.string(), z.strictObject({ planted: z.number(), missing: z.array(z.string()) })),
  hook: z.string(),
  /** Other hosts that it asked for; all were refused. */
  asked_for: z.array(z.string()),
  /** The sessions of the story: their calls, and what did not reach the model. */
  story: z
    .array(z.strictObject({ name: z.string(), calls: z.number(), untold: z.array(z.string()) }))
    .optional(),
})

export type Measurement = z.infer<typeof measurement>

const initializeRequest = z.looseObject({
  method: z.literal('initialize'),
  params: measurement.shape.initialize,
})
const sessions = z.tuple([z.object({ session: z.string() }), z.object({ session_id: z.string() })])

/** What a run showed. Errors: the harness never started satchel. */
export function measure(harness: Harness | PlainClient, run: HarnessRun, today: string): Measurement {
  const { probes, results } = run
  const opened = run.sent.find((message) => initializeRequest.safeParse(message).success)
  if (opened === undefined) throw new Error(`it did not start satchel; it printed: ${run.printed}`)
  return {
    harness: harness.name,
    version: harness.version,
    measured: today,
    initialize: initializeRequest.parse(opened).params,
    channel: channelOf(results.at(-2)),
    channel_on_error: channelOf(results.at(-1)),
    facts: Object.fromEntries(
      probes.map((probe, at) => [
        probe.tool,
        { planted: probe.facts.length, missing: [...missingFacts(probe, results[at])] },
      ]),
    ),
    hook: hookOf(harness, run),
    asked_for: [...new Set(run.strays)].sort(),
  }
}

function hookOf(harness: Harness | PlainClient, { hooked, opening }: HarnessRun): string {
  if ('call' in harness) return 'not measured: it has no sessions'
  if (harness.withoutHooks !== undefined) return `not measured: ${harness.withoutHooks}`
  if (hooked.length === 0) return 'did not run without a terminal'
  const { success, data } = sessions.safeParse(hooked)
  const session =
    success && data[0].session === data[1].session_id ? ', in the session that the server sees' : ''
  return `ran${session}; its text ${opening.includes('fact-objective') ? 'reached' : 'did not reach'} the model`
}

/** How many of the facts reached the model. */
export function factCounts({ facts }: Measurement): { readonly reached: number; readonly planted: number } {
  const all = Object.values(facts)
  const planted = all.reduce((sum, each) => sum + each.planted, 0)
  return { planted, reached: planted - all.reduce((sum, { missing }) => sum + missing.length, 0) }
}

/** How many sessions of the story told their model all that it needs, such as `7 of 7`. */
export function storyCount({ story }: Measurement): string {
  if (story === undefined) return 'not played'
  return `${story.filter(({ untold }) => untold.length === 0).length} of ${story.length}`
}
