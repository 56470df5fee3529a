import * as z from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { outputDirField } from '../answers/shapes.ts'
import { upgradeAnswer, upgradeHeadline } from '../answers/upgrade.ts'
import { MODULE_FILE_MAX_BYTES } from '../domain/module-files.ts'
import type { ModuleService } from '../service/module-service.ts'

/** `module_upgrade`: what another version of a module means for a given call. */
export function moduleUpgradeTool(service: ModuleService) {
  return defineTool({
    name: 'module_upgrade',
    title: 'Plan the upgrade of a module call',
    description:
      'Compares the version that each module block of a text calls with another one, for that call: inputs that it sets and outputs that it reads that are removed or changed, new required inputs, changed defaults, provider floors, the changelog between the two, and the edited block. New names are guesses and say so. Nothing is written. Choose it to upgrade a call; module_diff lists all changes of a module.',
    profile: 'full',
    input: () =>
      z.object({
        hcl: z
          .string()
          .max(MODULE_FILE_MAX_BYTES)
          .describe('Terraform text with the module blocks, and with what reads their outputs.'),
        to: z.string().min(1).max(255).default('latest').describe('The ref to upgrade to.'),
        call: z.string().max(255).optional().describe('Only the block of this name.'),
        output_dir: outputDirField,
      }),
    output: upgradeAnswer,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/modules/upgrade' },
    example: {
      hcl: 'module "network" {\n  source = "git::https://git.example.com/terraform-aws-network?ref=v1.0.0"\n  cidr   = "10.0.0.0/16"\n}\n',
      to: 'v2.0.0',
    },
    async handler(ctx, { hcl, to, call, output_dir }) {
      const outputDir = await service.outputDir(ctx, output_dir)
      const index = await service.loadIndex(ctx, outputDir)
      const files = [{ name: '', text: hcl }]
      const { upgradeCalls } = await import('../service/upgrade-calls.ts')
      const { calls, skipped } = await upgradeCalls(service, {
        files,
        to,
        call,
        outputDir,
        index,
        signal: ctx.signal,
      })
      return upgradeAnswer().parse({ calls, skipped })
    },
    headline: upgradeHeadline,
  })
}
