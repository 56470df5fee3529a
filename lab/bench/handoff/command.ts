import * as z from 'zod'
import { defineBench } from '../bench.ts'

/** `satchel bench handoff`: what the design promises of handoffs, as ratios of one run. */
export const handoffBench = defineBench({
  subject: 'handoff',
  title: 'Measure handoffs',
  description:
    'Measures the validation of a 50 KB record against ajv, list and search over 10,000 records, and how commands and hooks grow from 100 records to 10,000 and --records. A hook that prints nothing fails.',
  flags: { records: z.number().min(100).default(10_000).describe('records of the largest store') },
  measure: async (context, { records }) =>
    (await import('./figures.ts')).measureHandoffs(context, Math.floor(records)),
})
