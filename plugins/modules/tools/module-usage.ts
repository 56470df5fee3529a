import * as z from 'zod'
import { counted, defineTool, quoting } from '../../../server/plugin.ts'
import {
  MODULE_NAMES,
  moduleHead,
  moduleNameFields,
  outputDirField,
  removedSinceField,
} from '../answers/shapes.ts'
import { pathMissing } from '../catalog/find.ts'
import { createLeftBehind } from '../catalog/left-behind.ts'
import { loadVersions } from '../catalog/load-versions.ts'
import { createRemovals } from '../catalog/removed-paths.ts'
import { commentedHcl, plainLine } from '../domain/hcl-text.ts'
import { moduleUsage } from '../domain/usage.ts'
import { isRefDeleted } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import { createExampleCalls } from '../service/example-call.ts'
import type { ModuleService } from '../service/module-service.ts'
import { guessMovedPath, movedHint } from '../service/moved-path.ts'
import { createVersionLookup } from '../service/version-lookup.ts'
import { byIdOrName } from './get-module.ts'

const exampleShape = z.object({
  file: z.string(),
  line: z.number().int(),
  hcl: quoting(z.string()),
  inputs: z.array(z.string()).describe('Those that it gives.'),
  refers_to: z.array(z.string()).describe('What it takes from the configuration around it.'),
  outputs: z.array(z.string()).describe('Those that the example reads.'),
})
type Example = z.output<typeof exampleShape>

const input = () =>
  z.object({
    ...moduleNameFields,
    optional: z.boolean().default(false).describe('Add the optional inputs as comments with their defaults.'),
    output_dir: outputDirField,
  })

/** `module_usage`: how to call a module. */
export function moduleUsageTool(service: ModuleService) {
  const exampleCall = createExampleCalls(service)
  return defineTool({
    name: 'module_usage',
    title: 'Show how to call a module',
    description:
      'Gives a minimal valid module block for one module version: pinned source, required inputs with typed placeholders, providers where aliases are wanted; the outputs to read; beside it, as example, the smallest real call of its own examples, pinned. Sensitive inputs are named and never filled. Choose it to write code; check the filled block with module_check.',
    profile: 'standard',
    input,
    output: () =>
      moduleHead.extend({
        hcl: quoting(z.string()),
        source: z.string(),
        version: z.string().optional(),
        required: z.array(z.string()),
        optional: z.array(z.string()),
        sensitive: z.array(z.string()),
        outputs: z.array(z.string()),
        example: exampleShape.optional(),
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
      print: (answer) => printed(answer as { hcl: string; example?: Example }), // this tool's own output
    },
    example: { id: '225f968df4c9' },
    omits: { '/source': 'hcl has it', '/version': 'hcl has it' },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.loadIndex(ctx, outputDir)
      const record = await createVersionLookup(service, ctx, { outputDir, index }).module(input)
      if (createLeftBehind(index)(record)) {
        const { repository, path, ref } = record
        if (isRefDeleted(index, record)) throw refusals.ref_deleted({ repository, ref: plainLine(ref) })
        throw pathMissing(index, { repository, path, ref })
      }
      const removedSince = createRemovals(index)(record.repository, record.path)
      if (removedSince !== undefined && (input.ref ?? 'latest') === 'latest') {
        const moved = await guessMovedPath(service, outputDir, { index, last: record, since: removedSince })
        const { repository, path, ref: last } = record
        throw refusals.module_removed({ repository, path, since: removedSince, last, hint: movedHint(moved) })
      }
      const summary = await service.summary(outputDir, record)
      const usage = moduleUsage(summary, input.optional)
      const code = async () => (await loadVersions(outputDir, [record]))[0]?.code
      const example = await exampleCall({ summary, usage, code, signal: ctx.signal })
      const { id, repository, name, ref, ref_kind, path, kind, provider } = record
      return {
        ...{ id, repository, name, ref, ref_kind, path, kind, provider },
        ...{ hcl: usage.text, source: usage.source },
        ...(usage.version !== undefined && { version: usage.version }),
        ...{ required: [...usage.required], optional: [...usage.optional] },
        sensitive: [...usage.sensitive],
        outputs: summary.outputs.map((output) => output.name),
        ...(example && { example }),
        ...(removedSince !== undefined && { removed_since: removedSince }),
      }
    },
    headline({ name, path, ref, required }) {
      const directory = path === '.' ? '' : `//${path}`
      return `A call of ${name}${directory}@${ref}: ${counted(required.length, 'required input')}`
    },
  })
}

/** The real call as a comment: both blocks in one file would be two modules. */
function printed({ hcl, example }: { readonly hcl: string; readonly example?: Example }): string {
  if (example === undefined) return hcl
  const { file, line, hcl: call } = example
  return `${hcl}\n# ${file}, line ${line}, calls it so:\n${commentedHcl(call)}`
}
