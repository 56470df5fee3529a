/** Extracts the facts of a module file from its body, for HCL and JSON. */
import { isJsonObject } from '../../../server/plugin.ts'
import { joinConstraints } from '../domain/constraint.ts'
import type {
  FileDiagnostic,
  ModuleCallFacts,
  ModuleFacts,
  OutputFacts,
  ProviderBlockFacts,
  RequirementFacts,
  ResourceFacts,
  VariableFacts,
} from '../domain/module-facts.ts'
import type { Moved, Validation } from '../domain/summary.ts'
import { type Notes, statedFlag, statedSource, statedText, statedValue } from './attribute.ts'
import type { Attribute, Block, Body } from './body.ts'
import { splitList, splitObject } from './collections.ts'
import { jsonChecks } from './json-module.ts'

/** The facts of one body without what only the file knows (comments, how it was read). */
export type BodyFacts = Omit<ModuleFacts, 'topComment' | 'referenceReads'>

/** Facts in source order, and the attributes whose value has to be asked for. */
export function extractFacts(body: Body): { facts: BodyFacts; unsure: ReadonlyMap<Attribute, string> } {
  const notes: Notes = { unsure: new Map(), numbersAsText: new Set() }
  const found = {
    variables: [] as VariableFacts[],
    outputs: [] as OutputFacts[],
    requirements: [] as RequirementFacts[],
    providerBlocks: [] as ProviderBlockFacts[],
    modules: [] as ModuleCallFacts[],
    resources: [] as ResourceFacts[],
    data: [] as ResourceFacts[],
    ephemeral: [] as ResourceFacts[],
    moved: [] as Moved[],
    requiredVersion: undefined as string | undefined,
  }
  for (const block of body.blocks) takeBlock(found, block, notes)
  for (const check of jsonChecks(body)) takeCheck(found, check)
  const { requiredVersion, ...lists } = found
  const facts: Writable<BodyFacts> = { ...lists, diagnostics: numberDiagnostics(notes) }
  put(facts, 'requiredVersion', requiredVersion)
  return { facts, unsure: notes.unsure }
}

interface Found {
  readonly variables: VariableFacts[]
  readonly outputs: OutputFacts[]
  readonly requirements: RequirementFacts[]
  readonly providerBlocks: ProviderBlockFacts[]
  readonly modules: ModuleCallFacts[]
  readonly resources: ResourceFacts[]
  readonly data: ResourceFacts[]
  readonly ephemeral: ResourceFacts[]
  readonly moved: Moved[]
  requiredVersion: string | undefined
}

function takeBlock(found: Found, block: Block, notes: Notes): void {
  const name = block.labels[0]
  if (block.type === 'terraform') takeSettings(found, block, notes)
  else if (block.type === 'moved') takeMoved(found, block)
  else if (block.type === 'check') takeCheck(found, block.body)
  else if (name === undefined) return
  else if (block.type === 'variable') found.variables.push(variableFacts(name, block, notes))
  else if (block.type === 'output') found.outputs.push(outputFacts(name, block, notes))
  else if (block.type === 'module') found.modules.push(callFacts(name, block, notes))
  else if (block.type === 'provider') found.providerBlocks.push(providerFacts(name, block, notes))
  else takeResource(found, block, name)
}

/** The data source of a check is one of the module, which needs its provider. */
function takeCheck(found: Found, { blocks }: Body): void {
  for (const block of blocks) takeResource(found, block, block.labels[0] ?? '')
}

function takeResource(found: Found, block: Block, type: string): void {
  const list = new Map([
    ['resource', found.resources],
    ['data', found.data],
    ['ephemeral', found.ephemeral],
  ]).get(block.type)
  const name = block.labels[1]
  if (list === undefined || name === undefined) return
  const provider = block.body.attributes.get('provider')
  const local = provider && /^"?([\p{L}_][\p{L}\p{N}_-]*)/u.exec(statedSource(provider))?.[1]
  const facts: Writable<ResourceFacts> = { type, ...named(name, block) }
  put(facts, 'provider', local)
  list.push(facts)
}

function variableFacts(name: string, block: Block, notes: Notes): VariableFacts {
  const { attributes } = block.body
  const facts: Writable<VariableFacts> = named(name, block)
  const type = attributes.get('type')
  const stated = attributes.get('default')
  const validations = block.body.blocks.filter((inner) => inner.type === 'validation')
  put(facts, 'type', type && statedSource(type))
  put(facts, 'description', textOf(attributes, 'description', notes))
  put(facts, 'default', stated && statedValue(stated, notes))
  for (const flag of ['nullable', 'sensitive', 'ephemeral'] as const) {
    put(facts, flag, flagOf(attributes, flag, notes))
  }
  put(facts, 'deprecated', textOf(attributes, 'deprecated', notes))
  if (validations.length > 0) facts.validations = validations.map((inner) => validation(inner, notes))
  return facts
}

function validation(block: Block, notes: Notes): Validation {
  const condition = block.body.attributes.get('condition')
  const message = textOf(block.body.attributes, 'error_message', notes)
  return { condition: condition ? statedSource(condition) : '', error_message: message ?? '' }
}

function outputFacts(name: string, block: Block, notes: Notes): OutputFacts {
  const { attributes } = block.body
  const facts: Writable<OutputFacts> = named(name, block)
  const value = attributes.get('value')
  put(facts, 'description', textOf(attributes, 'description', notes))
  put(facts, 'value', value && statedValue(value, notes))
  for (const flag of ['sensitive', 'ephemeral'] as const) put(facts, flag, flagOf(attributes, flag, notes))
  put(facts, 'deprecated', textOf(attributes, 'deprecated', notes))
  return facts
}

function callFacts(name: string, block: Block, notes: Notes): ModuleCallFacts {
  const facts: Writable<ModuleCallFacts> = named(name, block)
  put(facts, 'source', textOf(block.body.attributes, 'source', notes))
  put(facts, 'version', textOf(block.body.attributes, 'version', notes))
  return facts
}

function providerFacts(name: string, block: Block, notes: Notes): ProviderBlockFacts {
  const facts: Writable<ProviderBlockFacts> = named(name, block)
  put(facts, 'version', textOf(block.body.attributes, 'version', notes))
  return facts
}

function takeMoved(found: Found, block: Block): void {
  const from = block.body.attributes.get('from')
  const to = block.body.attributes.get('to')
  if (from && to) found.moved.push({ from: statedSource(from), to: statedSource(to) })
}

function takeSettings(found: Found, block: Block, notes: Notes): void {
  const version = textOf(block.body.attributes, 'required_version', notes)
  found.requiredVersion = joinConstraints([found.requiredVersion, version].filter((one) => one !== undefined))
  for (const inner of block.body.blocks) {
    if (inner.type !== 'required_providers') continue
    for (const [name, attribute] of inner.body.attributes) {
      found.requirements.push(requirementFacts(name, attribute, notes))
    }
  }
}

/** `x = ">= 3"` and `x = { source = …, version = …, configuration_aliases = […] }`. */
function requirementFacts(name: string, attribute: Attribute, notes: Notes): RequirementFacts {
  const parts = attribute.kind === 'json' ? jsonParts(attribute) : sourceParts(attribute)
  const facts: Writable<RequirementFacts> = named(name, attribute)
  if (parts === undefined) {
    facts.version = statedText(attribute, notes)
    return facts
  }
  const aliases = parts.get('configuration_aliases')
  put(facts, 'source', textOf(parts, 'source', notes))
  put(facts, 'version', textOf(parts, 'version', notes))
  put(facts, 'configurationAliases', aliases && aliasesOf(aliases))
  return facts
}

function sourceParts(attribute: Attribute & { kind: 'source' }): Map<string, Attribute> | undefined {
  const entries = splitObject(attribute.text)
  if (entries === undefined) return undefined
  const { line } = attribute
  return new Map(entries.map(({ key, text }) => [key, { kind: 'source', text, line }]))
}

function jsonParts(attribute: Attribute & { kind: 'json' }): Map<string, Attribute> | undefined {
  const { value } = attribute
  if (!isJsonObject(value)) return undefined
  return new Map(Object.entries(value).map(([key, inner]) => [key, { kind: 'json', value: inner }]))
}

function aliasesOf(attribute: Attribute): readonly string[] {
  if (attribute.kind === 'source') return splitList(attribute.text) ?? []
  const { value } = attribute
  return Array.isArray(value) ? value.map((inner) => statedSource({ kind: 'json', value: inner })) : []
}

function textOf(attributes: ReadonlyMap<string, Attribute>, name: string, notes: Notes): string | undefined {
  const attribute = attributes.get(name)
  return attribute && statedText(attribute, notes)
}

function flagOf(attributes: ReadonlyMap<string, Attribute>, name: string, notes: Notes): boolean | undefined {
  const attribute = attributes.get(name)
  return attribute && statedFlag(attribute, notes)
}

/** The diagnostic for a number that a double cannot hold. */
export const NUMBER_AS_TEXT: FileDiagnostic = {
  severity: 'warning',
  code: 'number_as_text',
  message: 'A number that JSON cannot hold exactly is given as its source text.',
}

function numberDiagnostics(notes: Notes): FileDiagnostic[] {
  return [...notes.numbersAsText].map((line) => {
    const diagnostic: Writable<FileDiagnostic> = { ...NUMBER_AS_TEXT }
    put(diagnostic, 'line', line)
    return diagnostic
  })
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

function named(name: string, { line }: { readonly line?: number }): { name: string; line?: number } {
  return line === undefined ? { name } : { name, line }
}

/** Copies only the defined values: facts are plain JSON, without undefined. */
function put<T extends object, K extends keyof T>(facts: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) facts[key] = value
}
