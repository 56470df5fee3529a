import { CAPABILITIES } from './contract/advanced/principal.ts'
import { declarationFault, listingFault, shownName } from './declaration-shape.ts'
import { isJsonObject } from './platform/json-object.ts'
import { refusals } from './refusals.ts'
import { routeFault } from './route-shape.ts'
import { shapeOf } from './schema-shape.ts'
import { verbFault } from './verb-shape.ts'

const TOOL_NAME = /^[a-z0-9_]{1,48}$/ // surface, section 7
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
  if (tool['scope'] !== undefined && tool['scope'] !== 'admin') return 'scope must be admin or absent'
  if (!isCapability(tool['requires'])) return `requires must be one of ${CAPABILITIES.join(', ')}`
  const input = Object.keys(shapeOf(tool['input']) ?? {})
  const output = Object.keys(shapeOf(tool['output']) ?? {})
  return (
    firstOf(tool['http'], (route) => routeFault(route, { input, output })) ??
    firstOf(tool['cli'], (verb) => verbFault(verb, input)) ??
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

function isCapability(requires: unknown): boolean {
  return requires === undefined || (CAPABILITIES as readonly unknown[]).includes(requires)
}
