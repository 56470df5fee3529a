import * as z from 'zod'
import { counted, defineTool, isReadable, once, untrusted } from '../../../server/plugin.ts'
import { knownProviders, nearestHeadline, ONLY_NEAREST } from '../answers/nothing-fits.ts'
import { endOf, pageOf } from '../answers/page.ts'
import { quoted } from '../answers/quoted.ts'
import { resultRow } from '../answers/result-rows.ts'
import {
  moduleHead,
  NOTHING_INGESTED,
  outputDirField,
  removedSinceField,
  truncation,
} from '../answers/shapes.ts'
import { refusals } from '../reasons.ts'
import type { ModuleService } from '../service/module-service.ts'

const output = once(() =>
  z.object({
    results: z.array(
      moduleHead.omit({ ref_kind: true }).extend({
        description: untrusted('description of the module', { mcpMaxChars: 300, line: true }),
        score: z.number(),
        matched: z.array(z.object({ field: z.string(), name: z.string() })),
        removed_since: removedSinceField,
      }),
    ),
    count: z.number().int(),
    query: z.string(),
    nothing_fits: z.boolean().optional(),
    next: z.string().optional(),
    truncated: truncation.optional(),
  }),
)

/** `search_modules` (spec module-ingestion "MCP tools"): keyword ranking, no embeddings needed. */
export function searchModulesTool(service: ModuleService) {
  return defineTool({
    name: 'search_modules',
    title: 'Search modules by keyword',
    description:
      'Finds ingested Terraform modules by words of their name, README, inputs, outputs or resources. Takes a task or an exact name (aws_nat_gateway); gives the latest versions, with ids for get_module.',
    profile: 'core',
    input: () =>
      z.object({
        query: z.string().max(2000).optional().describe('Absent: all, by name.'),
        provider: z.string().max(100).optional().describe('aws, azure, google, …'),
        repository: z.string().max(2048).optional().describe('URL, owner/name or name.'),
        kind: z.enum(['root', 'submodule', 'example']).optional().describe('Only this kind.'),
        limit: z.number().int().min(1).max(50).default(10).describe('Most results.'),
        cursor: z.string().max(40).optional().describe('From `truncated.next`.'),
        output_dir: outputDirField,
      }),
    output,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: [
      { method: 'POST', path: '/search' },
      { method: 'GET', path: '/modules' },
    ],
    cli: { verb: 'modules list', positional: ['[query]'], view: (answer) => viewOf(output().parse(answer)) },
    example: { query: 'private network with nat', limit: 5 },
    omits: { '/query': 'the headline quotes it', '/count': 'the results are numbered' },
    async handler(ctx, input) {
      const query = input.query?.trim() ?? ''
      if (!isReadable(query)) throw refusals.query_unreadable()
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const { listModules } = await import('../search/module-list.ts')
      const { providersInstead } = await import('../search/search-parts.ts')
      const session = await service.searchSessionOf(outputDir)
      return await service.searching(ctx, session, async (index) => {
        const filter = { ...input, aliases: service.config.registry_aliases }
        const list = await listModules(index, query, filter, endOf(input, 'search_modules'))
        const page = pageOf(list.rows, input, 'search_modules')
        const results = await Promise.all(page.rows.map((row) => list.result(row, session.summary)))
        const known = providersInstead(index, input.provider)
        const next = list.isNone ? ONLY_NEAREST : nextStep(index.records, results.length, known)
        return {
          results,
          count: results.length,
          query: input.query ?? '',
          ...(list.isNone && { nothing_fits: true }),
          ...(next && { next }),
          ...page.more,
        }
      })
    },
    headline({ results, query, nothing_fits, truncated }) {
      if (results.length === 0) return query === '' ? 'No modules.' : `No module matches ${quoted(query)}.`
      if (nothing_fits) return nearestHeadline(query, results.length)
      return `${counted(results.length, 'module')}${query === '' ? '' : ` for ${quoted(query)}`}${truncated ? ', more follow' : ''}`
    },
  })
}

/** What to do when nothing is found. */
function nextStep(
  ingested: number,
  found: number,
  providers: readonly string[] | undefined,
): string | undefined {
  if (ingested === 0) return NOTHING_INGESTED
  if (found > 0) return undefined
  if (providers) return knownProviders(providers)
  return 'Try other words, fewer filters, or search_modules_vector.'
}

function viewOf({ results, next, truncated }: z.output<ReturnType<typeof output>>) {
  return {
    results: results.map(resultRow),
    ...(next && { next }),
    ...(truncated && { more: truncated.next }),
  }
}
