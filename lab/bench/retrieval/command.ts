import { z } from 'zod'
import { defineHostVerb } from '../../../server/cli/host-verb.ts'

/** `satchel bench retrieval`: how well the parts of the search rank judged queries. */
export const retrievalBench = defineHostVerb({
  path: ['bench', 'retrieval'],
  summary: 'Measure the search',
  description:
    'Ranks judged queries with each part of the search and prints nDCG@10, MRR and recall@5, in total and nDCG@10 by kind of query, with the difference to keywords alone and its 95 % interval (paired bootstrap). Without options on the modules and queries that ship with satchel.',
  input: z.object({
    cases: z.string().optional().describe('JSON file of [{query, kind, relevant: ["owner/name//path"]}]'),
    output_dir: z.string().optional().describe('folder of ingested summaries to search'),
  }),
  typing: {},
  examples: ['satchel bench retrieval --cases queries.json --output-dir ./output'],
  run: async (world, input) => (await import('./retrieval.ts')).measureRetrieval(world, input),
})
