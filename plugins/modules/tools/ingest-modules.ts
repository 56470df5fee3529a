import * as z from 'zod'
import { type CallContext, defineTool, taskStarted } from '../../../server/plugin.ts'
import { ingestReport, reportHeadline, runIngest } from '../answers/ingest-report.ts'
import { outputDirField } from '../answers/shapes.ts'
import { repositoryEntry } from '../config.ts'
import { stateDir } from '../output/module-index.ts'
import type { IngestTasks } from '../service/ingest-tasks.ts'
import type { ModuleService } from '../service/module-service.ts'

/** An entry as a model writes it: 0 means what null means in a configuration. */
const entry = repositoryEntry.extend({
  url: z.string().describe('https, ssh, user@host:path, file or a local path.'),
  name: z.string().optional().describe('Absent: from the URL.'),
  branches: z.array(z.string()).default([]).describe('Or full refs.'),
  include_tags: z.boolean().default(true).describe('Newest first.'),
  max_tags: z.number().int().min(0).default(1).describe('0: all.'),
  path: z.string().default('.').describe('Directory of the module.'),
  recursive: z.boolean().optional().describe('Every module below path too.'),
  exclude_paths: z.array(z.string()).default([]).describe('Globs to leave out.'),
})

/** `ingest_modules`: what a model may ask for; `satchel ingest` has more flags. */
export function ingestModulesTool(service: ModuleService, tasks: IngestTasks) {
  return defineTool({
    name: 'ingest_modules',
    title: 'Ingest modules',
    description:
      'Reads Terraform/OpenTofu modules from git branches and tags, for search_modules and get_module to answer from. No arguments: the configured repositories; unchanged refs cost nothing. What could not be read is in `failures` and stops nothing else.',
    profile: 'standard',
    task: true,
    input: () =>
      z.object({
        config_file: z.string().max(4096).optional().describe("Configuration instead of the server's."),
        repositories: z.array(entry).max(1000).optional().describe('Instead of the configured ones.'),
        output_dir: outputDirField,
        prune: z
          .boolean()
          .optional()
          .describe('Drop what the remote no longer has or exclude_paths leave out.'),
        dry_run: z
          .boolean()
          .optional()
          .describe('Only report what would be read, and with prune what would be removed.'),
      }),
    output: ingestReport,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    example: { dry_run: true },
    async handler(ctx, input) {
      if (!ctx.acceptsTask || input.dry_run === true) return await runIngest(service, ctx, input)
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const task = await tasks.start(ctx.principal, stateDir(outputDir), async (signal, say) => {
        const progress: CallContext['progress'] = (done, total, message) =>
          say(`${Math.floor(done)} of ${total ?? '?'} repositories: ${message ?? ''}`)
        const report = await runIngest(service, { ...ctx, signal, progress }, input)
        return { data: report, text: reportHeadline(report) }
      })
      return taskStarted(task)
    },
    headline: reportHeadline,
  })
}
