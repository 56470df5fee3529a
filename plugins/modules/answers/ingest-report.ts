import * as z from 'zod'
import { type CallContext, counted, once } from '../../../server/plugin.ts'
import type { IngestRequest } from '../service/ingest-request.ts'
import type { ModuleService } from '../service/module-service.ts'
import { reportShape } from './shapes.ts'

/** What an ingest answers at the command line and to a model. */
export const ingestReport = once(() =>
  reportShape.extend({
    planned: z
      .array(z.object({ repository: z.string(), ref: z.string(), path: z.string() }))
      .optional()
      .describe('Of a dry run: what would be read.'),
  }),
)
type IngestReport = z.output<ReturnType<typeof ingestReport>>

/** Runs what was asked for; its report. Errors: those of `ingestForCaller`. */
export async function runIngest(
  service: ModuleService,
  ctx: CallContext,
  request: IngestRequest,
): Promise<IngestReport> {
  const { ingestForCaller } = await import('../service/ingest-request.ts')
  const { report } = await ingestForCaller(service, ctx, request)
  return ingestReport().parse(report)
}

/** Names a run in one line. */
export function reportHeadline({
  repositories,
  refs,
  modules,
  written,
  failures,
  planned,
}: IngestReport): string {
  const parts = [
    counted(repositories, 'repository', 'repositories'),
    planned
      ? `a dry run: ${counted(planned.length, 'module')} would be read`
      : `${counted(refs.processed, 'ref')} read, ${refs.unchanged} unchanged`,
    `${counted(modules, 'module')}, ${counted(written, 'summary', 'summaries')} written`,
    ...(failures.length > 0 ? [counted(failures.length, 'failure')] : []),
  ]
  return parts.join('; ')
}
