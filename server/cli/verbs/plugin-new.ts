import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { BUILTIN_PLUGINS } from '../../builtin-plugins.ts'
import { dependencyRoot, packageRoot } from '../../package-root.ts'
import { createFile, linkFolder, makeFolder } from '../../platform/file-tree.ts'
import { type PluginNames, pluginFiles, pluginNames } from '../../scaffold/plugin-files.ts'
import { VERSION } from '../../version.ts'
import { defineHostVerb } from '../host-verb.ts'
import { refusals } from '../refusals.ts'
import { printResult } from '../render.ts'
import { markUsage } from '../usage.ts'
import type { World } from '../world.ts'

/** `satchel plugin new NAME`: a plugin whose test passes unchanged and without a network. */
export const pluginNewVerb = defineHostVerb({
  path: ['plugin', 'new'],
  summary: 'make a new plugin with a passing test',
  description:
    'Makes a folder with a plugin: one tool, its test, a README and a CI file. Its test passes unchanged and needs no network: the installed satchel is linked into it. An existing folder with anything in it is left alone.',
  input: z.object({ name: z.string().describe('npm name of the plugin, as satchel-word-count') }),
  typing: { positional: ['name'] },
  examples: ['satchel plugin new satchel-word-count'],
  async run(world, { name }) {
    const { io, terminal } = world
    const names = pluginNames(name)
    if (!names) {
      throw markUsage(refusals.plugin_name({ name }))
    }
    await refuseTakenName(world, name, names)
    const folder = resolve(io.cwd, names.folder)
    await refuseUsedFolder(folder, names.folder)
    const files = pluginFiles(names, VERSION)
    for (const [path, text] of Object.entries(files)) {
      await makeFolder(dirname(join(folder, path)))
      await createFile(join(folder, path), text)
    }
    const linked = await linkPackages(join(folder, 'node_modules'))
    const next = `cd ${names.folder} && npm test`
    printResult(terminal, {
      data: { folder, files: Object.keys(files), linked, next },
      text: `made ${names.folder}/ with ${Object.keys(files).length} files. Next: ${next}`,
    })
    return 0
  },
})

/** A taken name would be refused at the first start. */
async function refuseTakenName({ doors }: World, name: string, { verb }: PluginNames): Promise<void> {
  const isBuiltin = BUILTIN_PLUGINS.some((one) => one.name === verb)
  const owner = isBuiltin ? `the plugin "${verb}"` : await doors.ownerOfVerb(`${verb} count`)
  if (owner !== undefined) throw refusals.plugin_name_taken({ name, verb, owner })
}

async function refuseUsedFolder(folder: string, shown: string): Promise<void> {
  const entries = await readdir(folder).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return []
    throw refusals.not_a_folder({ folder: shown })
  })
  if (entries.length === 0) return
  throw refusals.folder_exists({ folder: shown })
}

/** Links the packages that the new plugin imports, so that it runs before `npm install`, which replaces the links. */
async function linkPackages(modules: string): Promise<readonly string[]> {
  const targets: readonly (readonly [string, string | undefined])[] = [
    ['satchel', packageRoot()],
    ['zod', dependencyRoot('zod')],
  ]
  const linked: string[] = []
  for (const [name, target] of targets) {
    if (target === undefined) continue
    await linkFolder(target, join(modules, name))
    linked.push(name)
  }
  return linked
}
