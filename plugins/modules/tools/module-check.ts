import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { outputDirField } from '../answers/shapes.ts'
import { checkText } from '../catalog/check-text.ts'
import { MODULE_FILE_MAX_BYTES } from '../domain/module-files.ts'
import type { IndexRecord } from '../output/module-index.ts'
import type { ModuleService } from '../service/module-service.ts'
import { createCheckLookup } from '../service/version-lookup.ts'

const output = () =>
  z.object({
    blocks: z.array(
      z.object({
        name: z.string(),
        line: z.number().int(),
        source: z.string(),
        module: z
          .object({ id: z.string(), repository: z.string(), ref: z.string(), path: z.string() })
          .optional()
          .describe('What it was checked against.'),
        findings: z.array(
          z.object({
            line: z.number().int(),
            code: z.string(),
            message: z.string(),
            suggestion: z.string().optional(),
          }),
        ),
      }),
    ),
    problems: z.array(z.object({ line: z.number().int(), message: z.string() })),
    findings: z.number().int().describe('Of all blocks, problems included.'),
  })

/** `module_check`: whether proposed `module` blocks fit the modules they call. */
export function moduleCheckTool(service: ModuleService) {
  return defineTool({
    name: 'module_check',
    title: 'Check module blocks',
    description:
      'Checks HCL text with module blocks against the ingested modules: unknown and missing inputs, literals of the wrong type, null where it is not allowed, deprecated inputs, unknown refs, modules that are not indexed. Each finding has line, code and a suggestion. Choose it before you hand code over.',
    profile: 'standard',
    input: () =>
      z.object({
        hcl: z.string().max(MODULE_FILE_MAX_BYTES).describe('Terraform text with one or more module blocks.'),
        output_dir: outputDirField,
      }),
    output,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/modules/check' },
    example: {
      hcl: 'module "network" {\n  source = "git::https://git.example.com/terraform-aws-network?ref=v1.0.0"\n}\n',
    },
    omits: { '/findings': 'the headline says it' },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.findIndex(ctx, outputDir)
      const { call } = createCheckLookup(service, ctx, { outputDir, index })
      const load = (record: IndexRecord) => service.summary(outputDir, record)
      const { blocks, problems } = await checkText(input.hcl, call, load, ctx.signal)
      const found = blocks.reduce((sum, block) => sum + block.findings.length, problems.length)
      return {
        blocks: blocks.map((block) => ({ ...block, findings: [...block.findings] })),
        problems: problems.map(({ line, message }) => ({ line, message })),
        findings: found,
      }
    },
    headline: ({ blocks, findings }) =>
      `${counted(blocks.length, 'module block')} checked: ${findings === 0 ? 'nothing found' : counted(findings, 'finding')}`,
  })
}
