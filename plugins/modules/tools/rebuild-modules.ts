import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { outputDirField } from '../answers/shapes.ts'
import type { ModuleService } from '../service/module-service.ts'

/** `satchel modules rebuild`. */
export function rebuildModulesTool(service: ModuleService) {
  return defineTool({
    name: 'rebuild_modules',
    title: 'Rebuild the module index',
    description:
      'Rebuilds the module index, the keyword index and the vectors of the built-in strategy from the summaries in the output directory. Use it when an index or a vector store is damaged, lost, or was made with another lexicon. Changes no summary; needs no network.',
    profile: 'full',
    mcp: false,
    input: () => z.object({ output_dir: outputDirField }),
    output: () =>
      z.object({
        modules: z.number().int(),
        skipped: z.number().int(),
        vectors: z.number().int(),
        output_dir: z.string(),
      }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    cli: { verb: 'modules rebuild', short: { output_dir: 'o' } },
    example: {},
    async handler(ctx, input) {
      const [{ rebuildIndex }, { searchRebuilder }] = await Promise.all([
        import('../ingest/rebuild.ts'),
        import('../service/rebuild-search.ts'),
      ])
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const rebuildSearch = searchRebuilder(service, outputDir, ctx)
      const rebuilt = await rebuildIndex(outputDir, () => service.host.now(), rebuildSearch)
      return { ...rebuilt, output_dir: outputDir }
    },
    headline: ({ modules, skipped, vectors }) =>
      `${counted(modules, 'module')} indexed, ${counted(vectors, 'vector')}; ${counted(skipped, 'other JSON file')} left alone`,
  })
}
