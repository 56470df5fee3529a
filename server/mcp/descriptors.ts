import type { OwnedTool } from '../call.ts'
import { argumentsOf, type Prompt } from '../contract/advanced/prompt.ts'
import type { Resource } from '../contract/advanced/resource.ts'
import type { Log } from '../contract/context.ts'
import { isSatchelError, type SatchelError } from '../contract/errors.ts'
import type { Tool } from '../contract/tool.ts'
import type { RunningHost } from '../host.ts'
import { type JsonSchema, jsonSchemaOf } from '../json-schema.ts'
import { once } from '../platform/once.ts'
import { labelledLog } from '../plugin-log.ts'
import { listedInput, listedOutput } from './listed-schema.ts'
import type { RawTable } from './raw-table.ts'
import { refusals } from './refusals.ts'
import { type UntrustedText, untrustedTextOf } from './untrusted-fields.ts'

type Descriptor = Readonly<Record<string, unknown>>

/** A tool of this door, and how the untrusted text of its output reaches a model. */
export interface OfferedTool {
  readonly owned: OwnedTool
  readonly untrusted: UntrustedText
  /** Of the tool; absent: nothing is logged. */
  readonly log?: Log
}

/**
 * The contents of all lists, compiled once per process, frozen, in a deterministic order. Those of tools are compiled when
 * they are read: a client that has them from an earlier start never asks.
 */
export interface Catalog {
  readonly host: RunningHost
  readonly raw: RawTable | undefined
  /** Why the remote declarations are not in the lists. */
  readonly unreached: SatchelError | undefined
  /** 2026-07-28. Errors, like those for older clients: `invalid`/`plugin_shape` naming the tool without a JSON Schema. */
  readonly modernTools: readonly Descriptor[]
  /** Older clients: `outputSchema` without `required`, because they also validate error results. */
  readonly legacyTools: readonly Descriptor[]
  readonly prompts: readonly Descriptor[]
  readonly templates: readonly Descriptor[]
  readonly fixedResources: readonly Descriptor[]
  /** Of all tools in the lists. */
  readonly toolNames: readonly string[]
  /** Undefined for a tool that is unknown or not offered; callers cannot distinguish them. */
  tool(name: string): OfferedTool | undefined
}

/**
 * Compiles the lists of the MCP door. `remote`: the declarations of a remote server, or the error that prevents them.
 */
export function createCatalog(host: RunningHost, remote?: RawTable | SatchelError): Catalog {
  const [raw, unreached] = isSatchelError(remote) ? [undefined, remote] : [remote, undefined]
  const offered = host.registry.tools.filter((owned) => host.offers(owned))
  const byName = new Map(offered.map((owned) => [owned.tool.name, offeredTool(owned, host.log)]))
  const modern = once(() =>
    sortedByName([
      ...offered.map(({ tool }) => toolDescriptor(tool)),
      ...(raw?.tools.map(({ descriptor }) => descriptor) ?? []),
    ]),
  )
  const legacy = once(() => frozen(modern().map(withoutRequiredOutput)))
  const resources = host.registry.resources.map(({ resource }) => resource)
  const rawResources = raw?.resources.map(({ descriptor }) => descriptor) ?? []
  return {
    host,
    raw,
    unreached,
    get modernTools() {
      return modern()
    },
    get legacyTools() {
      return legacy()
    },
    prompts: sortedByName([
      ...host.registry.prompts.map(({ prompt }) => promptDescriptor(prompt)),
      ...(raw?.prompts.map(({ descriptor }) => descriptor) ?? []),
    ]),
    templates: frozen([
      ...resources.filter(isTemplate).map(templateDescriptor),
      ...rawResources.filter((descriptor) => 'uriTemplate' in descriptor),
    ]),
    fixedResources: frozen([
      ...resources.filter((resource) => !isTemplate(resource)).map(resourceDescriptor),
      ...rawResources.filter((descriptor) => 'uri' in descriptor),
    ]),
    toolNames: [...byName.keys(), ...(raw?.tools.map(({ descriptor }) => descriptor.name) ?? [])],
    tool: (name) => byName.get(name),
  }
}

/** Returns the descriptor of a tool. Errors: `invalid`/`plugin_shape` naming the tool. */
export function toolDescriptor(tool: Tool): Descriptor {
  const { annotations } = tool
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: converted(tool, () => withCursor(tool, listedInput(tool.input))),
    outputSchema: converted(tool, () => listedOutput(tool.output)),
    annotations: {
      readOnlyHint: annotations.readOnly,
      destructiveHint: annotations.destructive,
      idempotentHint: annotations.idempotent,
      openWorldHint: annotations.openWorld,
    },
    ...(tool.maxResultChars !== undefined && {
      _meta: { 'anthropic/maxResultSizeChars': tool.maxResultChars },
    }),
  }
}

/** Length of an answer in characters from which a core tool lists its cursor. */
const LONG_ANSWER_CHARS = 400_000

/**
 * Lets the input of a reading tool take the cursor of `page.next`, because some clients check arguments against the schema
 * before they call. Core tools with long answers list it; a listed field costs every session tokens.
 */
function withCursor(
  { annotations, input, maxResultChars = 0, profile }: Tool,
  schema: JsonSchema,
): JsonSchema {
  if (!annotations.readOnly || 'cursor' in input.shape) return schema
  const { additionalProperties: _, properties, ...open } = schema
  const named = properties as Readonly<Record<string, unknown>> // listedInput always gives them
  const isListed = profile === 'core' && maxResultChars >= LONG_ANSWER_CHARS
  const cursor = { type: 'string', description: 'from `page.next`' }
  return { ...open, properties: isListed ? { ...named, cursor } : named }
}

/** Reports whether the URI of a resource contains `{variables}`. */
export function isTemplate(resource: Resource): boolean {
  return resource.uri.includes('{')
}

function offeredTool(owned: OwnedTool, log: Log): OfferedTool {
  let found: UntrustedText | undefined
  return {
    owned,
    log: labelledLog(log, { plugin: owned.plugin }),
    get untrusted() {
      found ??= untrustedTextOf(converted(owned.tool, () => jsonSchemaOf(owned.tool.output, 'output')))
      return found
    },
  }
}

function converted(tool: Tool, convert: () => JsonSchema): JsonSchema {
  try {
    return convert()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw refusals.plugin_shape({ tool: tool.name, fault: why }, { cause })
  }
}

function withoutRequiredOutput(descriptor: Descriptor): Descriptor {
  const schema = descriptor['outputSchema']
  if (typeof schema !== 'object' || schema === null) return descriptor
  const { required: _, ...open } = schema as JsonSchema // made by listedOutput, or a raw table's object
  return { ...descriptor, outputSchema: open }
}

function promptDescriptor(prompt: Prompt): { readonly name: string } & Descriptor {
  return {
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: argumentsOf(prompt).map(({ name, description, required }) => ({
      name,
      description,
      required,
    })),
  }
}

function templateDescriptor(resource: Resource): Descriptor {
  const { uri, ...rest } = resourceDescriptor(resource)
  return { uriTemplate: uri, ...rest }
}

function resourceDescriptor(resource: Resource): Descriptor & { readonly uri: string } {
  const { uri, name, title, description, mimeType } = resource
  return { uri, name, title, description, mimeType }
}

function sortedByName(descriptors: readonly Descriptor[]): readonly Descriptor[] {
  return frozen(
    [...descriptors].sort((a, b) => {
      const [left, right] = [String(a['name']), String(b['name'])]
      return left < right ? -1 : left > right ? 1 : 0
    }),
  )
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const entry of Object.values(value)) frozen(entry)
    Object.freeze(value)
  }
  return value
}
