import { z } from 'zod'
import { counted, defineTool, quoting } from '../../../server/plugin.ts'
import {
  MODULE_NAMES,
  moduleHead,
  moduleNameFields,
  outputDirField,
  removedSinceField,
} from '../answers/shapes.ts'
import { createRemovals } from '../catalog/removed-paths.ts'
import { moduleUsage } from '../domain/usage.ts'
import { refusals } from '../reasons.ts'
import type { ModuleService } from '../service/module-service.ts'
import { guessMovedPath, movedHint } from '../service/moved-path.ts'
import { createVersionLookup } from '../service/version-lookup.ts'
import { byIdOrName } from './get-module.ts'

/** `module_usage`: how to call a module. */
export function moduleUsageTool(service: ModuleService) {
  return defineTool({
    name: 'module_usage',
    title: 'Show how to call a module',
    description:
      'Gives a minimal valid module block for one module version: pinned source, required inputs with typed placeholders, providers where aliases are wanted. Sensitive inputs are named and never filled. Choose it to write code; check the filled block with module_check.',
    profile: 'standard',
    input: z.object({
      ...moduleNameFields,
      optional: z
        .boolean()
        .default(false)
        .describe('Add the optional inputs as comments with their defaults.'),
      output_dir: outputDirField,
    }),
    output: moduleHead.extend({
      hcl: quoting(z.string()),
      source: z.string(),
      version: z.string().optional(),
      required: z.array(z.string()),
      optional: z.array(z.string()),
      sensitive: z.array(z.string()),
      removed_since: removedSinceField,
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/modules/{id}/usage' },
    cli: {
      verb: 'modules usage',
      positional: ['[id]'],
      completes: { id: MODULE_NAMES },
      arrange: async (typed) => byIdOrName(typed),
      example: 'satchel modules usage terraform-aws-network --optional',
      // The code alone, so that it can be redirected into a file.
      print: (answer) => (answer as { hcl: string }).hcl, // this tool's own output
    },
    example: { id: '225f968df4c9' },
    omits: { '/source': 'hcl has it', '/version': 'hcl has it' },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.loadIndex(ctx, outputDir)
      const record = await createVersionLookup(service, ctx, { outputDir, index }).module(input)
      const removedSince = createRemovals(index)(record.repository, record.path)
      if (removedSince !== undefined && (input.ref ?? 'latest') === 'latest') {
        const moved = await guessMovedPath(service, outputDir, { index, last: record, since: removedSince })
        const { repository, path, ref: last } = record
        throw refusals.module_removed({ repository, path, since: removedSince, last, hint: movedHint(moved) })
      }
      const usage = moduleUsage(await service.summary(outputDir, record), input.optional)
      const { id, repository, name, ref, ref_kind, path, kind, provider } = record
      return {
        ...{ id, repository, name, ref, ref_kind, path, kind, provider },
        hcl: usage.text,
        source: usage.source,
        ...(usage.version !== undefined && { version: usage.version }),
        required: [...usage.required],
        optional: [...usage.optional],
        sensitive: [...usage.sensitive],
        ...(removedSince !== undefined && { removed_since: removedSince }),
      }
    },
    headline({ name, path, ref, required }) {
      const directory = path === '.' ? '' : `//${path}`
      return `A call of ${name}${directory}@${ref}: ${counted(required.length, 'required input')}`
    },
  })
}
