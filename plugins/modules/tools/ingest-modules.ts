import { z } from 'zod'
import { type CallContext, defineTool, taskStarted } from '../../../server/plugin.ts'
import { outputDirField, reportShape } from '../catalog/shapes.ts'
import { repositoryEntry, STRATEGIES } from '../config.ts'
import { stateDir } from '../index/module-index.ts'
import type { IngestWish } from '../run-ingest.ts'
import type { ModuleService } from '../service.ts'
import type { IngestTasks } from '../tasks.ts'

const output = reportShape.extend({
  planned: z
    .array(z.object({ repository: z.string(), ref: z.string(), path: z.string() }))
    .optional()
    .describe('Of a dry run: what would be read.'),
})
type Report = z.output<typeof output>

/** `ingest_modules`, and `satchel ingest`. */
export function ingestModulesTool(service: ModuleService, tasks: IngestTasks) {
  return defineTool({
    name: 'ingest_modules',
    title: 'Ingest module repositories',
    description:
      'Reads Terraform/OpenTofu modules from git (branches and tags, no checkout) and writes their summaries, so that search_modules and get_module know them. Without arguments: the configured repositories. Unchanged refs cost nothing. One bad repository never stops the others: see `failures`. Another run at work answers conflict/ingest_running.',
    profile: 'standard',
    task: true,
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
        .describe('Folder of the bare clones; absent: the configured one.'),
      cleanup: z.boolean().optional().describe('Remove the clones afterwards.'),
      prune: z
        .boolean()
        .optional()
        .describe('Remove summaries of refs and directories the remote no longer has.'),
      dry_run: z.boolean().optional().describe('Only say what would be read.'),
      enable_embeddings: z.boolean().optional().describe('Keep vectors for semantic search.'),
      embedding_strategy: z.enum(STRATEGIES).optional().describe('How texts become vectors.'),
    }),
    output,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    cli: {
      verb: 'ingest',
      positional: ['[config_file]'],
      short: { output_dir: 'o', clone_dir: 'c' },
      found: (answer) => output.parse(answer).failures.length > 0,
    },
    example: { dry_run: true },
    async handler(ctx, input) {
      if (!ctx.acceptsTask || input.dry_run === true) return await run(service, ctx, input)
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const task = await tasks.start(ctx.principal, stateDir(outputDir), async (signal, say) => {
        const progress: CallContext['progress'] = (done, total, message) =>
          say(`${Math.floor(done)} of ${total ?? '?'} repositories: ${message ?? ''}`)
        const report = await run(service, { ...ctx, signal, progress }, input)
        return { data: report, text: digestOf(report) }
      })
      return taskStarted(task)
    },
    digest: digestOf,
  })
}

async function run(service: ModuleService, ctx: CallContext, wish: IngestWish): Promise<Report> {
  const { ingestForCaller } = await import('../run-ingest.ts')
  const { report } = await ingestForCaller(service, ctx, wish)
  return output.parse(report)
}

function digestOf(report: Report): string {
  const { refs, failures, warnings } = report
  const lines = [
    `${report.repositories} repositories: ${refs.processed} refs read, ${refs.unchanged} unchanged, ${refs.empty} empty, ${refs.failed} failed`,
    `${report.modules} modules, ${report.written} summaries written to ${report.output_dir}`,
    ...(report.planned?.slice(0, 8).map(({ repository, ref }) => `would read ${repository} ${ref}`) ?? []),
    ...(report.pruned.length > 0 ? [`${report.pruned.length} pruned`] : []),
    ...(report.vectors
      ? [`vectors: ${report.vectors.upserted} new, ${report.vectors.unchanged} unchanged`]
      : []),
    ...failures.slice(0, 6).map(({ repository, ref, reason, message }) => {
      return `failed: ${repository}${ref === undefined ? '' : ` ${ref}`}: ${reason}: ${message}`.slice(0, 160)
    }),
    ...(failures.length > 6 ? [`and ${failures.length - 6} more failures`] : []),
    ...(warnings.length > 0 ? [`${warnings.length} warnings`] : []),
  ]
  return lines.join('\n')
}
