import * as z from 'zod'
import { defineHostVerb } from '../../../server/cli/host-verb.ts'

/** `satchel bench retrieval`: how well the parts of the search rank judged queries. */
export const retrievalBench = defineHostVerb({
  path: ['bench', 'retrieval'],
  summary: 'Measure the search',
  description:
    'Ranks judged queries with each part of the search and prints nDCG@10, hit@1, MRR and recall@5, in total and by kind of query, with 95 % intervals and the difference to keywords alone (bootstrap). Without options on the modules and queries that ship with satchel.',
  input: z.object({
    cases: z
      .string()
      .optional()
      .describe('JSON file of [{query, kind, grades: {"owner/name//path": 1 or 2}}], or relevant: [...]'),
    output_dir: z.string().optional().describe('folder of ingested summaries to search'),
  }),
  examples: ['satchel bench retrieval --cases queries.json --output-dir ./output'],
  run: async (world, input) => (await import('./retrieval.ts')).measureRetrieval(world, input),
})
