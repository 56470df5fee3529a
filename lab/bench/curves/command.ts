import * as z from 'zod'
import { defineBench } from '../bench.ts'
import { CURVE_PARTS } from './parts.ts'

/** `satchel bench curves`: how costs grow, as exponents. */
export const curvesBench = defineBench({
  subject: 'curves',
  title: 'Measure how costs grow, as exponents',
  description:
    'Measures one cost at rising sizes and prints the exponent of each: 0 does not grow, 1 grows as the size does. Records from 100 to 100,000, modules from 300 to 20,000 at three refs, documents from 1 KB to 1 MB, events from 1,000 to 1,000,000, readers from 1 to 5,000 and plugins from 3 to 50; --largest ends each curve earlier.',
  flags: {
    part: z.array(z.enum(CURVE_PARTS)).default([]).describe('what grows; absent: everything'),
    largest: z.coerce
      .number()
      .int()
      .min(1)
      .default(2 ** 20)
      .describe('leaves out larger sizes, but for the first two of each curve'),
  },
  measure: async (context, flags) => (await import('./curves.ts')).measureCurves(context, flags),
})
