import * as z from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { ingestReport, reportHeadline, runIngest } from '../answers/ingest-report.ts'
import { outputDirField } from '../answers/shapes.ts'
import { repositoryEntry, STRATEGIES } from '../config.ts'
import type { ModuleService } from '../service/module-service.ts'

/** `satchel ingest` (spec module-ingestion "Command line"): the run of `ingest_modules`, with the flags of a person. */
export function ingestTool(service: ModuleService) {
  return defineTool({
    name: 'ingest',
    title: 'Ingest module repositories',
    description:
      'Reads Terraform/OpenTofu modules from git (branches and tags, no checkout) and writes a summary of each for search and the modules verbs. Without arguments it reads the configured repositories. Unchanged refs are not fetched again. A repository that fails does not stop the others: it is listed under failures and the exit code is 3. While another run writes the same directory the answer is conflict/ingest_running.',
    profile: 'full',
    mcp: false,
    input: () =>
      z.object({
        config_file: z
          .string()
          .max(4096)
          .optional()
          .describe('Configuration file to use instead of the default one.'),
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
          .describe('Only report what would be read, and with prune what would be removed.'),
        worker: z
          .boolean()
          .optional()
          .describe('Read what the queue of the catalogue in the database gives, until stopped.'),
        enable_embeddings: z.boolean().optional().describe('Keep vectors for semantic search.'),
        embedding_strategy: z.enum(STRATEGIES).optional().describe('How texts become vectors.'),
      }),
    output: ingestReport,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    cli: {
      verb: 'ingest',
      positional: ['[config_file]'],
      short: { output_dir: 'o', clone_dir: 'c' },
      found: (answer) => ingestReport().parse(answer).failures.length > 0,
    },
    example: { dry_run: true },
    handler: (ctx, input) => runIngest(service, ctx, input),
    headline: reportHeadline,
  })
}
