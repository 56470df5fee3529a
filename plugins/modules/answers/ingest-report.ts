import { z } from 'zod'
import { type CallContext, counted } from '../../../server/plugin.ts'
import type { IngestRequest } from '../service/ingest-request.ts'
import type { ModuleService } from '../service/module-service.ts'
import { reportShape } from './shapes.ts'

/** What an ingest answers at the command line and to a model. */
export const ingestReport = reportShape.extend({
  planned: z
    .array(z.object({ repository: z.string(), ref: z.string(), path: z.string() }))
    .optional()
    .describe('Of a dry run: what would be read.'),
})
type IngestReport = z.output<typeof ingestReport>

/** Runs what was asked for; its report. Errors: those of `ingestForCaller`. */
export async function runIngest(
  service: ModuleService,
  ctx: CallContext,
  request: IngestRequest,
): Promise<IngestReport> {
  const { ingestForCaller } = await import('../service/ingest-request.ts')
  const { report } = await ingestForCaller(service, ctx, request)
  return ingestReport.parse(report)
}

/** The report in at most 1,200 characters. */
export function reportDigest(report: IngestReport): string {
  const { refs, failures, warnings } = report
  const lines = [
    `${counted(report.repositories, 'repository', 'repositories')}: ${counted(refs.processed, 'ref')} read, ${refs.unchanged} unchanged, ${refs.empty} empty, ${refs.failed} failed`,
    `${counted(report.modules, 'module')}, ${counted(report.written, 'summary', 'summaries')} written to ${report.output_dir}`,
    ...(report.planned?.slice(0, 8).map(({ repository, ref }) => `would read ${repository} ${ref}`) ?? []),
    ...(report.pruned.length > 0
      ? [`${report.pruned.length} ${report.planned ? 'would be ' : ''}pruned`]
      : []),
    ...(report.vectors
      ? [`vectors: ${report.vectors.upserted} new, ${report.vectors.unchanged} unchanged`]
      : []),
    ...failures.slice(0, 6).map(({ repository, ref, reason, message }) => {
      return `failed: ${repository}${ref === undefined ? '' : ` ${ref}`}: ${reason}: ${message}`.slice(0, 160)
    }),
    ...(failures.length > 6 ? [`and ${counted(failures.length - 6, 'more failure')}`] : []),
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
  ]
  return lines.join('\n')
}
