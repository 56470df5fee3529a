import * as z from 'zod'
import { type CallContext, counted, once } from '../../../server/plugin.ts'
import type { IngestRequest } from '../service/ingest-request.ts'
import type { ModuleService } from '../service/module-service.ts'
import { asShape, reportShape, summaryShape } from './shapes.ts'

/** What the REST ingest routes answer: the summaries of this run, and its report (modules design 7). */
export const ingestedShape = once(() =>
  reportShape.extend({
    summaries: z.array(summaryShape),
    count: z.number().int(),
    message: z.string(),
    truncated: z.object({ reason: z.string() }).optional(),
  }),
)
export type IngestedSummaries = z.input<ReturnType<typeof ingestedShape>>

/** Runs an ingest and reads back what it made. Errors: those of `ingestForCaller`. */
export async function ingestWithSummaries(
  service: ModuleService,
  ctx: CallContext,
  request: IngestRequest,
): Promise<IngestedSummaries> {
  const [{ ingestForCaller }, { summariesOf }, { loadIndex }] = await Promise.all([
    import('../service/ingest-request.ts'),
    import('./full-summaries.ts'),
    import('../output/index-file.ts'),
  ])
  const { report, touched, outputDir } = await ingestForCaller(service, ctx, request)
  const { summaries, isCut } = await summariesOf(outputDir, await loadIndex(outputDir), touched)
  const { failures, pruned, warnings, planned, ...numbers } = report
  return {
    summaries: summaries.map(asShape),
    count: summaries.length,
    message: `${counted(summaries.length, 'module')} of ${counted(report.repositories, 'repository', 'repositories')}, ${counted(failures.length, 'failure')}`,
    ...numbers,
    pruned: [...pruned],
    failures: [...failures],
    warnings: [...warnings],
    ...(isCut && {
      truncated: { reason: 'size: later summaries are short; read them with GET /modules/{id}' },
    }),
  }
}
