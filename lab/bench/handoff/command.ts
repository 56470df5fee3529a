import { defineBench } from '../bench.ts'

/** `satchel bench handoff`: what the design promises of handoffs, as ratios of one run. */
export const handoffBench = defineBench({
  subject: 'handoff',
  title: 'Measure handoffs',
  description:
    'Measures the validation of a 50 KB record against ajv, list and search over 10,000 records, and a hook among them.',
  measure: async (context) => (await import('./figures.ts')).measureHandoffs(context),
})
