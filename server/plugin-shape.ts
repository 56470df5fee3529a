import { declarationFault, listingFault, shownName, VERB } from './declaration-shape.ts'
import { isJsonObject } from './platform/json-object.ts'
import { refusals } from './refusals.ts'
import { shapeOf } from './schema-shape.ts'

const TOOL_NAME = /^[a-z0-9_]{1,48}$/ // surface, section 7
const METHODS: readonly unknown[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
const PROFILES: readonly unknown[] = ['core', 'standard', 'full']
const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const

type Members = Readonly<Record<string, unknown>>

/**
 * Refuses a result of `setup` that violates the contract. The compiler does not check a plugin in plain JavaScript, and one
 * invalid declaration would break the lists of all plugins. `source` is for messages.
 * Errors: `invalid`/`plugin_shape` naming plugin, file, declaration and member.
 */
export function requireLentShape(plugin: string, source: string, instance: unknown): void {
  const fault = instanceFault(instance)
  if (fault === undefined) return
  throw refusals.plugin_declaration({ plugin, source, fault })
}

function instanceFault(instance: unknown): string | undefined {
  if (!isJsonObject(instance)) return 'its setup gave no object of declarations, such as { tools: [] }'
  const { tools = [] } = instance
  if (!Array.isArray(tools)) return 'tools must be a list'
  for (const [index, tool] of tools.entries()) {
    const fault = isJsonObject(tool) ? toolFault(tool) : 'is not an object made by defineTool'
    if (fault !== undefined) return `tool ${shownName(tool, 'name', index)}: ${fault}`
  }
  return declarationFault(instance)
}

function toolFault(tool: Members): string | undefined {
  if (typeof tool['name'] !== 'string' || !TOOL_NAME.test(tool['name'])) {
    return 'name must be 1 to 48 of a-z, 0-9 and _'
  }
  const text = ['title', 'description'].find(
    (member) => typeof tool[member] !== 'string' || tool[member] === '',
  )
  if (text !== undefined) return `${text} must be a text`
  if (!PROFILES.includes(tool['profile'])) return 'profile must be core, standard or full'
  const schema = ['input', 'output'].find((member) => shapeOf(tool[member]) === undefined)
  if (schema !== undefined) return `${schema} must be a zod object`
  const hints = isJsonObject(tool['annotations']) ? tool['annotations'] : {}
  const hint = HINTS.find((member) => typeof hints[member] !== 'boolean')
  if (hint !== undefined) return `annotations.${hint} must be true or false`
  const code = ['handler', 'headline'].find((member) => typeof tool[member] !== 'function')
  if (code !== undefined) return `${code} must be a function`
  if (!isJsonObject(tool['example'])) return 'example must be an input'
  const fields = Object.keys(shapeOf(tool['input']) ?? {})
  return (
    firstOf(tool['http'], (route) => routeFault(route, fields)) ??
    firstOf(tool['cli'], (verb) => verbFault(verb, fields)) ??
    listingFault(tool['input'], 'input') ??
    listingFault(tool['output'], 'output')
  )
}

function firstOf(given: unknown, faultOf: (one: Members) => string | undefined): string | undefined {
  for (const one of [given ?? []].flat()) {
    const fault = isJsonObject(one) ? faultOf(one) : 'http and cli must be objects'
    if (fault !== undefined) return fault
  }
  return undefined
}

function routeFault({ method, path }: Members, fields: readonly string[]): string | undefined {
  if (!METHODS.includes(method)) return `http.method must be one of ${METHODS.join(', ')}`
  if (typeof path !== 'string' || !path.startsWith('/')) return 'http.path must begin with /'
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  const unknown = names.find((name) => !fields.includes(name))
  return unknown === undefined ? undefined : `http.path names "${unknown}", which is not a field of input`
}

function verbFault(
  { verb, positional = [], arrange }: Members,
  fields: readonly string[],
): string | undefined {
  if (typeof verb !== 'string' || !VERB.test(verb))
    return 'cli.verb must be one or two words of a-z, 0-9 and -'
  if (!Array.isArray(positional)) return 'cli.positional must be a list'
  if (arrange !== undefined) return undefined // it makes the input of what is typed
  const names = positional.map((name) =>
    String(name)
      .replace(/^\[|\]$/g, '')
      .replace(/\.\.\.$/, ''),
  )
  const unknown = names.find((name) => !fields.includes(name))
  return unknown === undefined
    ? undefined
    : `cli.positional names "${unknown}", which is not a field of input`
}
