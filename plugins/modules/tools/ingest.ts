import { z } from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { ingestReport, reportDigest, runIngest } from '../answers/ingest-report.ts'
import { outputDirField } from '../answers/shapes.ts'
import { repositoryEntry, STRATEGIES } from '../config.ts'
import type { ModuleService } from '../service/module-service.ts'

/** `satchel ingest` (spec module-ingestion "Command line"): the run of `ingest_modules`, with the flags of a person. */
export function ingestTool(service: ModuleService) {
  return defineTool({
    name: 'ingest',
    title: 'Ingest module repositories',
    description:
      'Reads Terraform/OpenTofu modules from git (branches and tags, no checkout) and writes their summaries, so that search and the modules verbs know them. Without arguments: the configured repositories. Unchanged refs cost nothing. One bad repository never stops the others: it is listed as failed and the exit code is 3. Another run at work answers conflict/ingest_running.',
    profile: 'full',
    mcp: false,
    input: z.object({
      config_file: z
        .string()
        .max(4096)
        .optional()
        .describe('Configuration file to use instead of the own one.'),
      repositories: z.array(repositoryEntry).max(1000).optional().describe('Repositories to read instead.'),
      output_dir: outputDirField,
      clone_dir: z
        .string()
        .max(4096)
        .optional()
        .describe('Folder of the bare clones; absent: as configured.'),
      cleanup: z.boolean().optional().describe('Remove the clones afterwards.'),
      prune: z
        .boolean()
        .optional()
        .describe(
          'Remove summaries of refs and directories the remote no longer has, and of directories that exclude_paths leave out. A repository that is no longer configured keeps its summaries.',
        ),
      dry_run: z
        .boolean()
        .optional()
        .describe('Only say what would be read, and with prune what is known to be gone.'),
      enable_embeddings: z.boolean().optional().describe('Keep vectors for semantic search.'),
      embedding_strategy: z.enum(STRATEGIES).optional().describe('How texts become vectors.'),
    }),
    output: ingestReport,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    cli: {
      verb: 'ingest',
      positional: ['[config_file]'],
      short: { output_dir: 'o', clone_dir: 'c' },
      found: (answer) => ingestReport.parse(answer).failures.length > 0,
    },
    example: { dry_run: true },
    handler: (ctx, input) => runIngest(service, ctx, input),
    digest: reportDigest,
  })
}
