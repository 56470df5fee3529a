/** The `module` blocks of a proposed text. */
import { atOnce, type Pieces } from '../../../server/plugin.ts'
import type { GivenBlock, GivenInput } from '../domain/check.ts'
import type { Expression } from '../domain/expression.ts'
import type { GivenValue } from '../domain/given-value.ts'
import { parseExpression, parseTemplateText } from '../domain/parse-expression.ts'
import type { Json } from '../domain/summary.ts'
import { type Notes, statedText, statedValue } from './attribute.ts'
import { blockFaults, ESCAPE } from './block-faults.ts'
import type { Attribute, Block } from './body.ts'
import { splitList, splitObject } from './collections.ts'
import { isList, objectsOf, readJsonModule } from './json-module.ts'
import { readLiteral } from './literals.ts'
import { readingHcl } from './reader.ts'

/** Arguments that Terraform itself understands. */
const META = new Set(['source', 'version', 'providers', 'count', 'for_each', 'depends_on'])
/** Depth to which values with expressions are taken apart; anything deeper counts as an expression. */
const MAX_DEPTH = 8
/** A proposal has a few blocks; the rest of a longer text is reported, not read. */
const MAX_BLOCKS = 100

/** What a proposed text holds: its module blocks, and what could not be read, with lines. */
export interface ProposedText {
  readonly blocks: readonly GivenBlock[]
  readonly problems: readonly { readonly line: number; readonly message: string }[]
}

/** Reads HCL text with `module` blocks; all other blocks are skipped. Never throws. */
export function readModuleBlocks(text: string, maxBlocks = MAX_BLOCKS): ProposedText {
  return atOnce(readingModuleBlocks(text, maxBlocks))
}

/** `readModuleBlocks` in pieces, for texts of callers. */
export function* readingModuleBlocks(text: string, maxBlocks = MAX_BLOCKS): Pieces<ProposedText> {
  const file = yield* readingHcl(text)
  const problems = [...file.problems, ...file.doubts].map(({ line, message }) => ({ line, message }))
  for (const { line = 1 } of file.blocks.filter((block) => block.type === 'module' && !isModule(block)))
    problems.push({ line, message: 'A module block has one label, its name: module "name" { … }.' })
  const blocks = file.blocks.filter(isModule)
  const rest = blocks[maxBlocks]
  if (rest !== undefined) {
    problems.push({
      line: rest.line ?? 1,
      message: `Only the first ${maxBlocks} module blocks are checked.`,
    })
  }
  return { blocks: yield* allGiven(blocks.slice(0, maxBlocks)), problems }
}

/** Reads the `module` blocks of a `.tf.json` file, which has no lines: each is at line 1. Never throws. */
export function readJsonModuleBlocks(text: string): ProposedText {
  const module = readJsonModule(text)
  if (module.kind === 'refused')
    return { blocks: [], problems: [{ line: module.line ?? 1, message: module.message }] }
  return { blocks: atOnce(allGiven(module.body.blocks.filter(isModule))), problems: [] }
}

function* allGiven(blocks: readonly Block[]): Pieces<GivenBlock[]> {
  const given: GivenBlock[] = []
  for (const block of blocks) given.push(yield* toGiven(block))
  return given
}

function isModule({ type, labels }: Block): boolean {
  return type === 'module' && labels.length === 1
}

function* toGiven(block: Block): Pieces<GivenBlock> {
  const notes: Notes = { unsure: new Map(), numbersAsText: new Set() }
  const { attributes } = block.body
  const source = attributes.get('source')
  const version = attributes.get('version')
  const inputs: GivenInput[] = []
  const given = [...attributes].filter(([name, attribute]) => !META.has(name) && !isEscape(name, attribute))
  for (const [name, attribute] of [...given, ...escaped(block.body)]) {
    inputs.push(toInput(name, attribute))
    yield
  }
  const faults = blockFaults(block)
  return {
    name: block.labels[0] ?? '',
    line: block.line ?? 1,
    ...(source && { source: givenSource(source, notes) }),
    ...(version && givenVersion(version, notes)),
    meta: new Map(
      [...attributes].flatMap(([name, attribute]) =>
        META.has(name) && !isJsonNull(attribute) ? [[name, attribute.line ?? block.line ?? 1]] : [],
      ),
    ),
    ...keysOf(attributes.get('for_each')),
    ...repeatsOf(attributes),
    ...providerKeys(attributes.get('providers')),
    ...(faults.length > 0 && { faults }),
    inputs,
  }
}

/** What a block `_` holds: inputs also where a name is one of Terraform's own. In JSON it is an object. */
function escaped({ attributes, blocks }: Block['body']): (readonly [string, Attribute])[] {
  const block = blocks.find(({ type }) => type === ESCAPE)
  const inJson = attributes.get(ESCAPE)
  const values = inJson?.kind === 'json' ? objectsOf(inJson.value).flatMap((one) => Object.entries(one)) : []
  return [
    ...(block?.body.attributes ?? []),
    ...values.map(([name, value]) => [name, { kind: 'json', value }] as const),
  ]
}

function isEscape(name: string, { kind }: Attribute): boolean {
  return name === ESCAPE && kind === 'json'
}

function givenSource(source: Attribute, notes: Notes): NonNullable<GivenBlock['source']> {
  const stated = { text: statedText(source, notes), line: source.line ?? 1 }
  return isTextLiteral(source, notes) ? stated : { ...stated, isComputed: true }
}

/** `null` counts as absent. */
function givenVersion(version: Attribute, notes: Notes): Pick<GivenBlock, 'version' | 'isVersionLiteral'> {
  const { value, expression } = statedValue(version, notes)
  if (expression === undefined && value === null) return {}
  return { version: statedText(version, notes), isVersionLiteral: isTextLiteral(version, notes) }
}

function isTextLiteral(attribute: Attribute, notes: Notes): boolean {
  const { value, expression } = statedValue(attribute, notes)
  return expression === undefined && typeof value === 'string'
}

/** In JSON, `null` is as if the argument were absent. */
function isJsonNull(attribute: Attribute): boolean {
  return attribute.kind === 'json' && attribute.value === null
}

/** The keys of an object, or the texts of `toset([…])`. */
function keysOf(forEach: Attribute | undefined): { readonly keys?: readonly string[] } {
  const of = forEach?.kind === 'source' ? parseExpression(forEach.text) : undefined
  const isSet = of?.kind === 'call' && of.name === 'toset' && of.args.length === 1
  const set = isSet ? of.args[0] : undefined
  const parts =
    of?.kind === 'object' ? of.entries.map(({ key }) => key) : set?.kind === 'list' ? set.items : undefined
  const keys = parts?.map((part) => (part.kind === 'literal' ? part.value : undefined))
  const known = keys?.filter((key) => typeof key === 'string')
  return known !== undefined && known.length === keys?.length ? { keys: known } : {}
}

function repeatsOf(attributes: Block['body']['attributes']): Pick<GivenBlock, 'repeats'> {
  const repeats = (['count', 'for_each'] as const).flatMap((name) => {
    const attribute = attributes.get(name)
    const of = attribute?.kind === 'source' ? parseExpression(attribute.text) : undefined
    return of === undefined ? [] : [[name, of] as const]
  })
  return repeats.length === 0 ? {} : { repeats: new Map(repeats) }
}

function providerKeys(providers: Attribute | undefined): { readonly providers?: readonly string[] } {
  const entries = providers?.kind === 'source' ? splitObject(providers.text) : undefined
  return entries === undefined ? {} : { providers: entries.map(({ key }) => key) }
}

function toInput(name: string, attribute: Attribute): GivenInput {
  const value: GivenValue =
    attribute.kind === 'source' ? readGiven(attribute.text, 0) : readJsonGiven(attribute.value)
  return { name, line: attribute.line ?? 1, value }
}

/** In JSON every string is a template. */
function readJsonGiven(value: Json): GivenValue {
  if (typeof value === 'string')
    return /[$%]\{/.test(value) ? asExpression(parseTemplateText(value)) : { kind: 'literal', value }
  if (typeof value !== 'object' || value === null) return { kind: 'literal', value }
  if (isList(value)) return { kind: 'list', items: value.map(readJsonGiven) }
  const entries = Object.entries(value).map(([key, inner]) => [key, readJsonGiven(inner)] as const)
  return { kind: 'object', entries }
}

function asExpression(of: Expression | undefined): GivenValue {
  return { kind: 'expression', ...(of && { of }) }
}

/** A literal as a whole, else a list or object of what its parts are, else an expression. */
function readGiven(text: string, depth: number): GivenValue {
  const literal = readLiteral(text)
  if (literal.kind === 'literal') return { kind: 'literal', value: literal.value }
  if (depth >= MAX_DEPTH || literal.kind === 'unsure') return { kind: 'expression' }
  const items = splitList(text)
  if (items !== undefined) return { kind: 'list', items: items.map((item) => readGiven(item, depth + 1)) }
  const entries = splitObject(text)
  if (entries === undefined) return asExpression(parseExpression(text))
  return { kind: 'object', entries: entries.map((entry) => [entry.key, readGiven(entry.text, depth + 1)]) }
}
