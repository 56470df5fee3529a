import * as z from 'zod'
import { defineBench } from '../bench.ts'

/** `satchel bench growth`: what the search costs as the number of modules grows. */
export const growthBench = defineBench({
  subject: 'growth',
  title: 'Measure the search as modules grow',
  description:
    'Makes a project of a number of modules at three refs each, every one with words of its own, and measures the build of its search index, the update after one repository changed, its size, a search and a list as new processes, the first answer of a server, its later answers and its memory, with plain ways to search the same modules beside them.',
  flags: {
    modules: z.coerce.number().int().min(1).max(100_000).default(313).describe('modules to measure'),
    output_dir: z
      .string()
      .optional()
      .describe('ingested summaries to make them from; absent: those of satchel'),
  },
  measure: async (context, flags) => (await import('./figures.ts')).measureGrowth(context, flags),
})
