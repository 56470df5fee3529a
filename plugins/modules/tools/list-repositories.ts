import * as z from 'zod'
import { cleanText, counted, defineTool, once, untrusted } from '../../../server/plugin.ts'
import { pageOf } from '../answers/page.ts'
import { repositoryPlace } from '../answers/result-rows.ts'
import { NOTHING_INGESTED, outputDirField, truncation } from '../answers/shapes.ts'
import { listRepositories } from '../catalog/repositories.ts'
import type { ModuleService } from '../service/module-service.ts'

const REFS_SHOWN = 20

const output = once(() =>
  z.object({
    repositories: z.array(
      z.object({
        url: z.string(),
        name: z.string(),
        description: untrusted('description of the repository', { mcpMaxChars: 200, line: true }),
        refs: z.array(z.string()).describe('At most 20, latest first.'),
        ref_count: z.number().int(),
        latest: z.string(),
        module_count: z.number().int(),
        providers: z.array(z.string()),
        last_updated: z.string(),
      }),
    ),
    count: z.number().int(),
    total: z.number().int(),
    next: z.string().optional(),
    truncated: truncation.optional(),
  }),
)

/** `list_repositories` (spec module-ingestion "MCP tools"). */
export function listRepositoriesTool(service: ModuleService) {
  return defineTool({
    name: 'list_repositories',
    title: 'List module repositories',
    description:
      'Lists the ingested module repositories: URL, refs (latest first), module count, providers. For a task: search_modules.',
    profile: 'core',
    input: () =>
      z.object({
        filter: z.string().max(200).optional().describe('Part of URL, name, provider.'),
        limit: z.number().int().min(1).max(100).default(50).describe('Most rows.'),
        cursor: z.string().max(40).optional().describe('From `truncated.next`.'),
        output_dir: outputDirField,
      }),
    output,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/repositories' },
    cli: {
      verb: 'modules repositories',
      positional: ['[filter]'],
      view: (answer) => viewOf(output().parse(answer)),
    },
    example: { filter: 'vpc', limit: 10 },
    omits: { '/count': 'the headline says it', '/total': 'the headline says it' },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.findIndex(ctx, outputDir)
      const all = index ? listRepositories(index, input.filter) : []
      const page = pageOf(all, input, 'list_repositories')
      const repositories = page.rows.map((row) => ({
        ...row,
        refs: row.refs.slice(0, REFS_SHOWN),
        ref_count: row.refs.length,
      }))
      const next = (index?.records.length ?? 0) === 0 && NOTHING_INGESTED
      return {
        repositories,
        count: repositories.length,
        total: all.length,
        ...(next && { next }),
        ...page.more,
      }
    },
    headline: ({ repositories, total }) =>
      total === 0
        ? 'No repositories match.'
        : `${repositories.length} of ${counted(total, 'repository', 'repositories')}`,
  })
}

/** The list for a person: repositories are named as in the results of a search; `--json` has all of each. */
function viewOf({ repositories, next, truncated }: z.output<ReturnType<typeof output>>) {
  return {
    repositories: repositories.map(({ url, latest, ref_count, module_count, providers, description }) => ({
      repository: repositoryPlace(url),
      latest,
      refs: ref_count,
      modules: module_count,
      providers,
      description: cleanText(description).replace(/\s+/g, ' ').trim(),
    })),
    ...(next && { next }),
    ...(truncated && { more: truncated.next }),
  }
}
