import * as z from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { type IngestedSummaries, ingestedShape, ingestWithSummaries } from '../answers/ingested.ts'
import { outputDirField } from '../answers/shapes.ts'
import { repositoryEntry } from '../config.ts'
import type { ModuleService } from '../service/module-service.ts'

/** `POST /ingest` (spec module-ingestion "REST API"). */
export function ingestRepositoriesTool(service: ModuleService) {
  return defineTool({
    name: 'ingest_repositories',
    title: 'Ingest the repositories of a request',
    description:
      'Reads the modules of these repositories and answers with their summaries and the report of the run. Summaries are whole up to 8 MiB, then short. Choose ingest_modules where the summaries are not wanted in the answer.',
    profile: 'full',
    mcp: false,
    input: () =>
      z.object({
        repositories: z.array(repositoryEntry).min(1).max(1000).describe('Repositories to read.'),
        output_dir: outputDirField,
        clone_dir: z.string().max(4096).optional().describe('Folder of the bare clones.'),
        recursive: z
          .boolean()
          .default(false)
          .describe('Default of entries: read directories below path too.'),
      }),
    output: ingestedShape,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    http: { method: 'POST', path: '/ingest' },
    example: { repositories: [{ url: './terraform-aws-network' }] },
    handler: (ctx, input) => ingestWithSummaries(service, ctx, input),
    omits: { '/message': 'the headline says it', '/count': 'the headline says it' },
    headline: ({ message }: IngestedSummaries) => message,
  })
}
