import * as z from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { type IngestedSummaries, ingestedShape, ingestWithSummaries } from '../answers/ingested.ts'
import { CONFIG_MAX_BYTES } from '../config.ts'
import type { ModuleService } from '../service/module-service.ts'

/** `POST /ingest-from-yaml` (spec module-ingestion "REST API"). */
export function ingestFromYamlTool(service: ModuleService) {
  return defineTool({
    name: 'ingest_from_yaml',
    title: 'Ingest a YAML configuration',
    description:
      'Runs a whole YAML configuration given as text, with its repositories, directories and embedding options. Answers with the summaries and the report. Unknown keys and tags are refused with their line.',
    profile: 'full',
    mcp: false,
    input: () => z.object({ yaml: z.string().max(CONFIG_MAX_BYTES).describe('The configuration.') }),
    output: ingestedShape,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    http: {
      method: 'POST',
      path: '/ingest-from-yaml',
      rawBody: { field: 'yaml', contentType: 'application/yaml' },
      maxBodyBytes: CONFIG_MAX_BYTES,
    },
    example: { yaml: 'repositories:\n  - url: ./terraform-aws-network\n' },
    handler: (ctx, input) => ingestWithSummaries(service, ctx, input),
    omits: { '/message': 'the headline says it', '/count': 'the headline says it' },
    headline: ({ message }: IngestedSummaries) => message,
  })
}
