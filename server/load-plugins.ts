import { createRequire } from 'node:module'
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { SatchelError } from './contract/errors.ts'
import type { Plugin } from './contract/plugin.ts'

/** The contract version that plugins state as `apiVersion`. */
const API_VERSION = 1

/**
 * Loads a third-party plugin: a path (`./`, `../`, `/`) or an npm name, resolved from the configuration file.
 * `configFile` is absolute. The answer's `file` is for messages.
 * Errors: `invalid`/`plugin_not_found`, `plugin_shape`, `plugin_api`, all naming the file; `internal`/`plugin_load` when
 * importing it threw.
 */
export async function loadPlugin(
  name: string,
  configFile: string,
): Promise<{ plugin: Plugin; file: string }> {
  const file = resolvePlugin(name, configFile)
  const exported = await importDefault(file)
  return { plugin: asPlugin(exported, file), file }
}

function resolvePlugin(name: string, configFile: string): string {
  const isPath = name.startsWith('./') || name.startsWith('../') || isAbsolute(name)
  try {
    return createRequire(configFile).resolve(isPath ? resolve(configFile, '..', name) : name)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code // require.resolve throws Errors with a code
    const why =
      code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
        ? 'its package exports it only under "import": export it under "default"'
        : 'it was not found from the configuration file: install it there, or correct the name'
    throw new SatchelError('invalid', 'plugin_not_found', `The plugin "${name}" cannot be loaded: ${why}.`, {
      cause,
    })
  }
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(file).href)
    return module.default
  } catch (cause) {
    throw new SatchelError(
      'internal',
      'plugin_load',
      `The plugin ${file} threw while it was imported; see the log.`,
      {
        cause,
      },
    )
  }
}

function asPlugin(exported: unknown, file: string): Plugin {
  if (typeof exported !== 'object' || exported === null) throw notAPlugin(file, 'it has no default export')
  const { name, version, apiVersion, setup, config } = exported as Partial<Record<keyof Plugin, unknown>>
  if (typeof name !== 'string' || typeof version !== 'string')
    throw notAPlugin(file, 'it states no name and version')
  if (apiVersion !== API_VERSION) {
    throw new SatchelError(
      'invalid',
      'plugin_api',
      `The plugin ${file} is made for apiVersion ${String(apiVersion)}; this satchel has ${API_VERSION}. Install a matching release.`,
    )
  }
  if (typeof setup !== 'function') throw notAPlugin(file, 'it has no setup function')
  if (!isObjectSchema(config)) throw notAPlugin(file, 'its config is no zod object')
  return exported as Plugin // every member was just looked at
}

/** By shape, not `instanceof`: a plugin brings its own zod. */
function isObjectSchema(value: unknown): value is z.ZodObject {
  if (value instanceof z.ZodObject) return true
  return typeof value === 'object' && value !== null && 'shape' in value && 'safeParse' in value
}

function notAPlugin(file: string, why: string): SatchelError {
  return new SatchelError('invalid', 'plugin_shape', `${file} is not a satchel plugin: ${why}.`)
}
