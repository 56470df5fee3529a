import { readFile, stat } from 'node:fs/promises'
import { devNull } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { CLIENT_FACTS } from '../../client-facts.ts'
import { isSatchelError } from '../../contract/errors.ts'
import type { Plugin } from '../../contract/plugin.ts'
import type { RunningHost } from '../../host.ts'
import { loadPlugin } from '../../load-plugins.ts'
import { backgroundCall } from '../../platform/background-call.ts'
import { counted } from '../../platform/counted.ts'
import { withScratchFolder } from '../../platform/file-tree.ts'
import { unconfined } from '../../platform/paths.ts'
import { namesOf, type Registry } from '../../registry.ts'
import { checkPlugin } from '../../rules/check-plugin.ts'
import { licenceFindings } from '../../rules/licences.ts'
import type { ToolFinding } from '../../rules/tool-rules.ts'
import { shapeOf } from '../../schema-shape.ts'
import { unreadDeclarations } from '../../unread-declarations.ts'
import { flagsOf } from '../flags.ts'
import { defineHostVerb } from '../host-verb.ts'
import { refusals } from '../refusals.ts'
import { printResult } from '../render.ts'
import type { World } from '../world.ts'

const FOUND_EXIT = 3

export interface PluginReport {
  readonly plugin: string
  readonly file: string
  readonly tools: number
  readonly findings: readonly ToolFinding[]
}

const input = z.object({
  path: z.string().default('.').describe('folder or file of the plugin'),
  settings: z.record(z.string(), z.unknown()).default({}).describe('settings of the plugin'),
})

/** `satchel plugin check`: reports problems for clients, models and reviewers; exit 3 if it finds any. */
export const pluginCheckVerb = defineHostVerb({
  path: ['plugin', 'check'],
  summary: 'check a plugin before others use it',
  description:
    'Loads a plugin and checks its tools: names, texts, hints, schemas that every client takes, sizes in tokens, hidden text, examples (each is called in an empty throw-away project), licences. Exits 3 with its findings.',
  input,
  typing: { positional: ['[path]'] },
  examples: ['satchel plugin check ./satchel-word-count'],
  async run(world, { path, settings }) {
    const report = await reportOn(world, path, settings)
    printResult(world.terminal, { data: report, text: textOf(report) })
    return report.findings.length > 0 ? FOUND_EXIT : 0
  },
})

/** Checks the plugin at `path`. Errors: those of `loadPlugin`; `invalid`/`config_invalid` for the settings. */
export async function reportOn(
  world: World,
  path: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<PluginReport> {
  const entry = await entryOf(resolve(world.io.cwd, path), path)
  const { plugin, file } = await loadPlugin(entry, entry)
  return await withScratchFolder('satchel-check', async (project) => {
    const config = await parsedSettings(world, plugin, settings)
    const host = await world.doors.hostOf([{ plugin, config, source: file }], project)
    try {
      const { tools: descriptors } = await world.doors.catalog(host)
      const findings = await checkPlugin(
        host,
        descriptors,
        CLIENT_FACTS,
        backgroundCall({
          principal: { id: 'local', kind: 'local', capabilities: [] },
          signal: AbortSignal.any([world.signal, host.signal]),
          log: host.log,
          door: 'cli',
          resolvePath: unconfined(project),
        }),
      )
      const names = await takenNames(world, host)
      const licences = await licenceFindings(dirname(file))
      return {
        plugin: plugin.name,
        file,
        tools: descriptors.length,
        findings: [
          ...names,
          ...unknownNames(plugin, host.registry),
          ...findings,
          ...flaglessFields(host.registry),
          ...licences,
        ],
      }
    } finally {
      await host.stop()
    }
  })
}

/** Finds what a built-in plugin declares too: a server with both would not start. */
async function takenNames(world: World, { registry }: RunningHost): Promise<readonly ToolFinding[]> {
  const line = { ...world.line, config: devNull }
  const builtins = await world.doors.setUpHost({ kind: 'all' }, await world.doors.loadConfig(line), line)
  try {
    const owners = new Map(
      builtins.registry.instances.flatMap(({ plugin, instance }) =>
        [`plugin "${plugin}"`, ...namesOf(instance)].map((name) => [name, plugin] as const),
      ),
    )
    return registry.instances
      .flatMap(({ plugin, instance }) => [`plugin "${plugin}"`, ...namesOf(instance)])
      .flatMap((name) => {
        const owner = owners.get(name)
        const detail = `the ${name} is taken by the plugin "${owner}", which ships with satchel: rename it`
        return owner === undefined ? [] : [{ rule: 'name', tool: '', detail } as const]
      })
  } finally {
    await builtins.stop()
  }
}

/** Finds what the host would pass over: declarations that nothing reads, and variables of no setting. */
function unknownNames({ env = {}, config }: Plugin, { instances }: Registry): readonly ToolFinding[] {
  const details = [
    ...instances.flatMap(({ instance }) => unreadDeclarations(instance)),
    ...Object.entries(env).flatMap(([variable, dotted]) =>
      hasSetting(config, dotted.split('.'))
        ? []
        : [`env names "${dotted}" for ${variable}, which is not a setting`],
    ),
  ]
  return details.map((detail) => ({ rule: 'name', tool: '', detail }) as const)
}

/** A schema of another form than an object says itself what it takes. */
function hasSetting(schema: unknown, [name, ...rest]: readonly string[]): boolean {
  const shape = shapeOf(schema)
  if (name === undefined || !shape) return true
  return Object.hasOwn(shape, name) && hasSetting(shape[name], rest)
}

/** Finds the fields that cannot be typed, because another flag has their name. */
function flaglessFields({ tools }: Registry): readonly ToolFinding[] {
  return tools.flatMap(({ tool }) =>
    [tool.cli ?? []].flat().flatMap((verb) =>
      flagsOf(tool.input, verb).flagless.map((field) => {
        const detail = `"${field}" has no flag at ${verb.verb}, because another flag has its name: only --input sets it (cli.long names another flag)`
        return { rule: 'flag', tool: tool.name, detail } as const
      }),
    ),
  )
}

/** The settings as those of the configuration file are read. Errors: `invalid`/`config_invalid`. */
async function parsedSettings(
  { doors, line }: World,
  plugin: Plugin,
  settings: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const config = await doors.loadConfig({ ...line, config: devNull })
  try {
    return config.section(plugin, { settings, listedAs: plugin.name })
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    throw refusals.config_invalid({ fault: thrown.message }, { cause: thrown })
  }
}

/** Returns the file that a package exports as its plugin. */
async function entryOf(path: string, typed: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw refusals.plugin_not_found({ path: typed })
  if (!found.isDirectory()) return path
  const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw refusals.plugin_manifest_missing({ path: typed })
  }
  const manifest: { exports?: unknown; main?: unknown } = JSON.parse(text)
  return join(
    path,
    exportedFile(manifest.exports) ?? (typeof manifest.main === 'string' ? manifest.main : 'index.js'),
  )
}

/** Reads `"./plugin.js"`, `{ default }` or `{ ".": … }`. */
function exportedFile(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported
  if (typeof exported !== 'object' || exported === null) return undefined
  if ('.' in exported) return exportedFile(exported['.'])
  return 'default' in exported ? exportedFile(exported.default) : undefined
}

function textOf({ plugin, tools, findings }: PluginReport): string {
  if (findings.length === 0) return `${plugin}: ${counted(tools, 'tool')}, nothing found`
  const lines = findings.map(
    ({ rule, tool, detail }) => `  ${rule.padEnd(11)} ${tool === '' ? '' : `${tool}: `}${detail}`,
  )
  return [`${plugin}: ${counted(tools, 'tool')}, ${counted(findings.length, 'finding')}`, ...lines].join('\n')
}
