import { resolve } from 'node:path'
import * as z from 'zod'
import { runChild } from '../../platform/child-process.ts'
import { defineHostVerb } from '../host-verb.ts'
import { refusals } from '../refusals.ts'
import { printResult } from '../render.ts'
import { reportOn } from './plugin-check.ts'

const PACK_LIMIT_MS = 120_000

/** `satchel plugin pack`: checks a plugin, then packs it as npm publishes it. */
export const pluginPackVerb = defineHostVerb({
  path: ['plugin', 'pack'],
  summary: 'check a plugin and pack it as a tarball',
  description:
    'Checks a plugin as `satchel plugin check` does and, when nothing was found, packs it as npm would publish it. No script of the package runs.',
  input: z.object({
    path: z.string().default('.').describe('folder of the plugin'),
    settings: z.record(z.string(), z.unknown()).default({}).describe('settings of the plugin'),
  }),
  typing: { positional: ['[path]'] },
  examples: ['satchel plugin pack ./satchel-word-count'],
  async run(world, { path, settings }) {
    const report = await reportOn(world, path, settings)
    if (report.findings.length > 0) {
      const { findings } = report
      throw refusals.plugin_findings({ count: findings.length, path }, { details: { findings } })
    }
    const packed = await npmPack(resolve(world.io.cwd, path), world.signal)
    printResult(world.terminal, {
      data: packed,
      text: `${packed.filename}: ${packed.files.length} files, ${packed.size} bytes`,
    })
    return 0
  },
})

const packOutput = z.array(
  z.object({
    filename: z.string(),
    size: z.number(),
    integrity: z.string(),
    files: z.array(z.object({ path: z.string(), size: z.number() })),
  }),
)

async function npmPack(folder: string, signal: AbortSignal): Promise<z.output<typeof packOutput>[number]> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const args = ['pack', '--json', '--ignore-scripts', '--offline']
  const ran = await runChild(npm, args, { cwd: folder, signal, limitMs: PACK_LIMIT_MS })
  if (ran.kind === 'stopped' || ran.code !== 0) throw refusals.npm_failed()
  const [packed] = packOutput.parse(JSON.parse(ran.stdout))
  if (!packed) throw new TypeError('npm pack named no tarball')
  return packed
}
