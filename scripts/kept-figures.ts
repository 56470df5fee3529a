import * as z from 'zod'

const figure = z.object({
  name: z.string(),
  what: z.string(),
  unit: z.string(),
  ours: z.number(),
  against: z.number(),
  against_what: z.string(),
  ratio: z.number(),
  goal: z.number(),
  sense: z.enum(['at_most', 'at_least']),
  rounds: z.object({ ours: z.array(z.number()), against: z.array(z.number()) }).optional(),
})
const printed = z.object({
  figures: z.array(figure),
  missing: z.array(z.object({ peer: z.string(), reason: z.string() })).default([]),
})
const side = z.object({ median: z.number(), least: z.number(), most: z.number() })
const kept = figure.omit({ rounds: true }).extend({
  /** Of the rounds, where there were several. */
  spread: z.object({ ours: side, against: side }).optional(),
})

/** What `satchel bench … --json` printed, on one machine, by the words after `bench`. */
export const keptFigures = z.object({
  machine: z.object({ cpus: z.int(), model: z.string(), memory_gib: z.number(), system: z.string() }),
  subjects: z.record(
    z.string(),
    z.object({
      taken: z.string(),
      node: z.string(),
      version: z.string(),
      /** Processes that ran or waited beside it in the last minute; a quiet machine has about one, the bench. */
      load: z.number(),
      figures: z.array(kept),
      missing: printed.shape.missing,
    }),
  ),
})
export type KeptFigures = z.infer<typeof keptFigures>
export type KeptFigure = z.infer<typeof kept>
type Subject = KeptFigures['subjects'][string]

/** What a bench printed, with the spread of the rounds in their place and no more digits than are worth something. */
export function keptOf(text: string, run: Pick<Subject, 'taken' | 'node' | 'version' | 'load'>): Subject {
  const { figures, missing } = printed.parse(JSON.parse(text))
  return {
    ...run,
    figures: figures.map(({ rounds, ...rest }) => ({
      ...rest,
      ours: digits(rest.ours),
      against: digits(rest.against),
      ratio: digits(rest.ratio),
      goal: digits(rest.goal),
      ...(rounds && { spread: { ours: spreadOf(rounds.ours), against: spreadOf(rounds.against) } }),
    })),
    missing,
  }
}

function spreadOf(values: readonly number[]): z.infer<typeof side> {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => digits(sorted[index] ?? 0)
  return { median: at(Math.ceil(sorted.length / 2) - 1), least: at(0), most: at(sorted.length - 1) }
}

function digits(value: number): number {
  return Number(value.toPrecision(4))
}
