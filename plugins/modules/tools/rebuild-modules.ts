import { z } from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { outputDirField } from '../catalog/shapes.ts'
import type { ModuleService } from '../service.ts'

/** `satchel modules rebuild`. */
export function rebuildModulesTool(service: ModuleService) {
  return defineTool({
    name: 'rebuild_modules',
    title: 'Rebuild the module index',
    description:
      'Makes the module index again from the summaries in the output directory: for an index that is damaged or lost. Changes no summary; needs no network.',
    profile: 'full',
    mcp: false,
    input: z.object({ output_dir: outputDirField }),
    output: z.object({ modules: z.number().int(), skipped: z.number().int(), output_dir: z.string() }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    cli: { verb: 'modules rebuild', short: { output_dir: 'o' } },
    example: {},
    async handler(ctx, input) {
      const { rebuildIndex } = await import('../rebuild.ts')
      const outputDir = await service.outputDir(ctx, input.output_dir)
      return { ...(await rebuildIndex(outputDir, () => service.host.now())), output_dir: outputDir }
    },
    digest: ({ modules, skipped }) => `${modules} modules indexed; ${skipped} other JSON files left alone`,
  })
}
