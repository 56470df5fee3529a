import { CAPABILITIES } from './contract/advanced/principal.ts'
import { declarationFaults, listingFault, shownName } from './declaration-shape.ts'
import { isJsonObject } from './platform/json-object.ts'
import { refusals } from './refusals.ts'
import { routeFault } from './route-shape.ts'
import { shapeOf } from './schema-shape.ts'
import { verbFault } from './verb-shape.ts'

const TOOL_NAME = /^[a-z0-9_]{1,48}$/ // surface, section 7
const PROFILES: readonly unknown[] = ['core', 'standard', 'full']
/** A plugin of many tools may have the same fault in each. */
const MAX_NAMED = 20
const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const

type Members = Readonly<Record<string, unknown>>

/**
 * Refuses a result of `setup` that violates the contract. The compiler does not check a plugin in plain JavaScript, and one
 * invalid declaration would break the lists of all plugins. `source` is for messages.
 * Errors: `invalid`/`plugin_shape` naming plugin, file, and each declaration and member that is wrong.
 */
export function requireLentShape(plugin: string, source: string, instance: unknown): void {
  const faults = instanceFaults(instance)
  if (faults.length === 0) return
  const named = faults.slice(0, MAX_NAMED).join('; ')
  const more = faults.length - MAX_NAMED
  const fault = more > 0 ? `${named}; and ${more} more` : named
  throw refusals.plugin_declaration({ plugin, source, fault })
}

function instanceFaults(instance: unknown): readonly string[] {
  if (!isJsonObject(instance)) return ['its setup gave no object of declarations, such as { tools: [] }']
  const { tools = [] } = instance
  if (!Array.isArray(tools)) return ['tools must be a list', ...declarationFaults(instance)]
  const ofTools = tools.flatMap((tool: unknown, index) => {
    const faults = isJsonObject(tool) ? toolFaults(tool) : ['is not an object made by defineTool']
    return faults.map((fault) => `tool ${shownName(tool, 'name', index)}: ${fault}`)
  })
  return [...ofTools, ...declarationFaults(instance)]
}

function toolFaults(tool: Members): readonly string[] {
  const { name, profile, scope } = tool
  const hints = isJsonObject(tool['annotations']) ? tool['annotations'] : {}
  const wrong = (members: readonly string[], isRight: (value: unknown) => boolean, must: string): string[] =>
    members.filter((member) => !isRight(tool[member])).map((member) => `${member} ${must}`)
  return [
    ...(typeof name === 'string' && TOOL_NAME.test(name) ? [] : ['name must be 1 to 48 of a-z, 0-9 and _']),
    ...wrong(['title', 'description'], isText, 'must be a text'),
    ...(PROFILES.includes(profile) ? [] : ['profile must be core, standard or full']),
    ...wrong(['input', 'output'], isObjectSchema, 'must be a zod object'),
    ...HINTS.filter((hint) => typeof hints[hint] !== 'boolean').map(
      (hint) => `annotations.${hint} must be true or false`,
    ),
    ...wrong(['handler', 'headline'], (value) => typeof value === 'function', 'must be a function'),
    ...wrong(['example'], isJsonObject, 'must be an input'),
    ...(scope === undefined || scope === 'admin' ? [] : ['scope must be admin or absent']),
    ...wrong(['requires'], isCapability, `must be one of ${CAPABILITIES.join(', ')}`),
    ...(isObjectSchema(tool['input']) && isObjectSchema(tool['output']) ? fieldFaults(tool) : []),
  ]
}

/** What is wrong with what names fields, and with the fields themselves. */
function fieldFaults(tool: Members): readonly string[] {
  const input = Object.keys(shapeOf(tool['input']) ?? {})
  const output = Object.keys(shapeOf(tool['output']) ?? {})
  return [
    ...eachFault(tool['http'], (route) => routeFault(route, { input, output })),
    ...eachFault(tool['cli'], (verb) => verbFault(verb, input)),
    listingFault(tool['input'], 'input'),
    listingFault(tool['output'], 'output'),
  ].filter((fault) => fault !== undefined)
}

function eachFault(given: unknown, faultOf: (one: Members) => string | undefined): (string | undefined)[] {
  return [given ?? []]
    .flat()
    .map((one) => (isJsonObject(one) ? faultOf(one) : 'http and cli must be objects'))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isObjectSchema(value: unknown): boolean {
  return shapeOf(value) !== undefined
}

function isCapability(requires: unknown): boolean {
  return requires === undefined || (CAPABILITIES as readonly unknown[]).includes(requires)
}
