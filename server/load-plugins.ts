import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import type { Plugin } from './contract/plugin.ts'
import { refusals } from './refusals.ts'
import { isPluginName } from './tokens/scopes.ts'

/** The contract version that plugins state as `apiVersion`. */
const API_VERSION = 1
/** Time for a plugin to be imported. */
const IMPORT_LIMIT_MS = 30_000
/** A backslash separates on Windows. */
const IS_RELATIVE = /^\.\.?[\\/]/
/** What Node.js says of these names the file and the import that it could not follow. */
const IMPORT_FAULTS: readonly unknown[] = [
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_UNKNOWN_FILE_EXTENSION',
]
/** Time for Node to parse the file of a plugin. */
const CHECK_LIMIT_MS = 30_000

/**
 * Loads a third-party plugin: a path (`./`, `../`, `/`) or an npm name, resolved from the configuration file.
 * `configFile` is absolute. The returned `file` is for messages.
 * Errors: `invalid`/`plugin_not_found`, `plugin_shape`, `plugin_api`, all naming the file; `internal`/`plugin_load` if
 * its import fails, `invalid`/`plugin_load` with the place of a syntax error or the import that was not found; `unavailable`/`plugin_load_timeout`.
 */
export async function loadPlugin(
  name: string,
  configFile: string,
): Promise<{ plugin: Plugin; file: string }> {
  const file = resolvePlugin(name, configFile)
  const exported = await importInTime(file)
  return { plugin: asPlugin(exported, file), file }
}

function resolvePlugin(name: string, configFile: string): string {
  const isPath = IS_RELATIVE.test(name) || isAbsolute(name)
  try {
    return createRequire(configFile).resolve(isPath ? resolve(configFile, '..', name) : name)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code // require.resolve throws Errors with a code
    if (!isPath && isFile(resolve(configFile, '..', name))) throw refusals.plugin_path({ name }, { cause })
    const isHidden = code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
    throw (isHidden ? refusals.plugin_not_exported : refusals.plugin_not_found)({ name }, { cause })
  }
}

/** The import, unless it takes too long. A verb whose import waits for nothing is told earlier, by an empty event loop. */
async function importInTime(file: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(refusals.plugin_load_timeout({ file, seconds: IMPORT_LIMIT_MS / 1000 }))
    timer = setTimeout(refuse, IMPORT_LIMIT_MS).unref()
  })
  try {
    return await Promise.race([importDefault(file), late])
  } finally {
    clearTimeout(timer)
  }
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(file).href)
    return module.default
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      const place = (await syntaxErrorPlace(file)) ?? file
      throw refusals.plugin_syntax({ place, fault: String(cause) }, { cause })
    }
    const { code, message = '' }: Partial<NodeJS.ErrnoException> = cause instanceof Error ? cause : {}
    if (IMPORT_FAULTS.includes(code))
      throw refusals.plugin_import({ file, fault: firstLine(message) }, { cause })
    throw refusals.plugin_load({ file }, { cause })
  }
}

/** MODULE_NOT_FOUND lists the files that required one another below. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Asks Node for the place of a syntax error: `file:line`. The error of an import does not carry it. */
async function syntaxErrorPlace(file: string): Promise<string | undefined> {
  const { runChild } = await import('./platform/child-process.ts')
  const checked = await runChild(process.execPath, ['--check', file], {
    cwd: dirname(file),
    limitMs: CHECK_LIMIT_MS,
  })
  const [first = ''] = checked.kind === 'exited' ? checked.stderr.split('\n') : []
  const [, stated = ''] = /^(.+:\d+)\r?$/.exec(first) ?? []
  return stated === '' ? undefined : stated.replace(pathToFileURL(file).href, file)
}

type Members = Partial<Record<keyof Plugin, unknown>>

function asPlugin(exported: unknown, file: string): Plugin {
  if (exported === undefined) throw refusals.plugin_shape({ file, fault: 'it has no default export' })
  if (typeof exported !== 'object' || exported === null)
    throw refusals.plugin_shape({ file, fault: 'its default export is not an object made by definePlugin' })
  if ('default' in exported && !('setup' in exported)) {
    // What a compiler makes of `export default` in CommonJS.
    const fault =
      'it is CommonJS with a member default: assign the plugin to module.exports, or build an ES module'
    throw refusals.plugin_shape({ file, fault })
  }
  const members = exported as Members
  const { name, version, apiVersion } = members
  // One of another contract may have another shape.
  if (isText(name) && isText(version) && apiVersion !== API_VERSION) {
    throw refusals.plugin_api({
      file,
      stated: JSON.stringify(apiVersion) ?? 'undefined',
      supported: API_VERSION,
    })
  }
  const faults = memberFaults(members)
  if (faults.length > 0) throw refusals.plugin_shape({ file, fault: faults.join('; ') })
  return exported as Plugin // every member is checked above
}

function memberFaults({ name, version, setup, config }: Members): readonly string[] {
  const isNamed = isText(name) && isText(version)
  const isNameFree = !isText(name) || (isPluginName(name) && name !== 'host')
  return [
    isNamed ? undefined : 'it states no name and version',
    isNameFree ? undefined : 'its name must be a-z, 0-9, ., _ and -, as an npm name, and not host',
    typeof setup === 'function' ? undefined : 'it has no setup function',
    isObjectSchema(config) ? undefined : 'its config is not a zod object',
  ].filter((fault) => fault !== undefined)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Checks the shape instead of `instanceof`, because a plugin may bring its own version of zod. */
function isObjectSchema(value: unknown): value is z.ZodObject {
  if (value instanceof z.ZodObject) return true
  return typeof value === 'object' && value !== null && 'shape' in value && 'safeParse' in value
}
