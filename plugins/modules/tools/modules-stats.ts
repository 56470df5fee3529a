import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { outputDirField } from '../answers/shapes.ts'
import { statsOf } from '../catalog/stats.ts'
import type { ModuleService } from '../service/module-service.ts'

/** `satchel modules stats`. */
export function modulesStatsTool(service: ModuleService) {
  return defineTool({
    name: 'modules_stats',
    title: 'Count ingested modules',
    description:
      'Counts repositories, refs, modules, inputs and outputs of the index, by provider and kind, and reports when the last run ended.',
    profile: 'full',
    mcp: false,
    input: () => z.object({ output_dir: outputDirField }),
    output: () =>
      z.object({
        repositories: z.number().int(),
        refs: z.number().int(),
        modules: z.number().int(),
        summaries: z.number().int(),
        embedded: z.number().int(),
        inputs: z.number().int(),
        required_inputs: z.number().int(),
        outputs: z.number().int(),
        resources: z.number().int(),
        providers: z.record(z.string(), z.number().int()),
        kinds: z.record(z.string(), z.number().int()),
        finished_at: z.string().nullable(),
        output_dir: z.string(),
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    cli: { verb: 'modules stats', short: { output_dir: 'o' } },
    example: {},
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      return { ...statsOf(await service.loadIndex(ctx, outputDir)), output_dir: outputDir }
    },
    headline: ({ repositories, modules, refs }) =>
      `${counted(modules, 'module')} of ${counted(repositories, 'repository', 'repositories')}, ${counted(refs, 'ref')}`,
  })
}
