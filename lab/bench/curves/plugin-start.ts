import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dependencyRoot, packageRoot } from '../../../server/package-root.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { measureProcess } from '../growth/measured-process.ts'
import type { Point } from './curve.ts'

const ROUNDS = 5

/** Milliseconds of the processor that a list of all tools takes beside so many plugins, each a file of its own with one tool. */
export async function startCosts(
  sizes: readonly number[],
  { program, env, signal }: LabContext,
): Promise<readonly Point[]> {
  return await withScratchFolder('satchel-bench', async (folder) => {
    const configs = await Promise.all(sizes.map((size) => writePlugins(folder, size)))
    const least = sizes.map(() => Number.POSITIVE_INFINITY)
    for (let round = 0; round < ROUNDS; round++) {
      for (const [at, config] of configs.entries()) {
        signal.throwIfAborted()
        const command = [...program, 'tools', '--config', config, '--json']
        const { cpuMs } = await measureProcess(command, env, { cwd: folder })
        least[at] = Math.min(least[at] ?? cpuMs, cpuMs)
      }
    }
    return sizes.map((size, at) => ({ size, cost: least[at] ?? 0 }))
  })
}

/** The configuration of a project with so many plugins. */
async function writePlugins(folder: string, count: number): Promise<string> {
  const files = Array.from({ length: count }, (_, n) => `plugin-${count}-${n}.mjs`)
  for (const [n, file] of files.entries()) await writeFile(join(folder, file), pluginText(n))
  const config = join(folder, `satchel-${count}.yaml`)
  await writeFile(
    config,
    JSON.stringify({ plugins: Object.fromEntries(files.map((file) => [`./${file}`, {}])) }),
  )
  return config
}

/** A plugin with a tool as an author writes it. Packages are named by their place: the folder has none. */
function pluginText(n: number): string {
  const files = [join(packageRoot(), 'dist/server/plugin.js'), join(dependencyRoot('zod') ?? '', 'index.js')]
  const [contract, zod] = files.map((file) => JSON.stringify(pathToFileURL(file).href))
  return `import { definePlugin, defineTool } from ${contract}
import * as z from ${zod}

const tool = defineTool({
  name: 'grown_${n}',
  title: 'Greet ${n}',
  description: 'Greets a person by name. Returns the greeting.',
  profile: 'core',
  input: z.object({ name: z.string().min(1).max(80).describe('whom to greet') }),
  output: z.object({ greeting: z.string() }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  example: { name: 'Ada' },
  handler: async (_ctx, { name }) => ({ greeting: name }),
  headline: ({ greeting }) => greeting,
})

export default definePlugin({
  name: 'grown-${n}',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({ tools: [tool] }),
})
`
}
