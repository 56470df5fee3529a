/** Reads what a `.tf.json` file declares and which names its templates read. */
import type { Pieces } from '../../../server/plugin.ts'
import type { DeclaredName, FileNames, PlacedRead } from '../domain/configuration-names.ts'
import { type BoundNames, type NameRead, NOTHING_BOUND, namesRead } from '../domain/names-read.ts'
import { parseExpression, parseTemplateText } from '../domain/parse-expression.ts'
import type { Json } from '../domain/summary.ts'
import type { Attribute, Block, Body } from './body.ts'
import { declaredIn, departuresIn, partsIn } from './file-names.ts'
import { isList, type JsonObject, jsonChecks, objectsOf, readJsonModule } from './json-module.ts'

/** As `readingFileNames` for JSON, which has no lines: each name is read once in a block, at line 1. */
export function* readingJsonFileNames(file: string, text: string): Pieces<FileNames> {
  const module = readJsonModule(text)
  if (module.kind === 'refused')
    return { declared: [], reads: [], departures: [], kept: [], parts: [], isSure: false }
  const { body } = module
  const bound: BoundNames = new Map(iteratorsIn([...body.blocks, { body }]).map((name) => [name, undefined]))
  const reads: PlacedRead[] = []
  const seen = new Set<string>()
  for (const { text, ...place } of writtenIn(body)) {
    yield
    for (const read of readsOf(text, place, bound)) {
      const { offset: _, ...what } = read
      const key = JSON.stringify([what, place])
      if (!seen.has(key)) reads.push({ ...read, ...place, file, line: 1 })
      seen.add(key)
    }
  }
  const declared = [...body.blocks.flatMap((block) => declaredIn(block)), ...declaredOutsideOfBlocks(body)]
  const parts = partsIn(file, [...body.blocks, ...localsIn(body)])
  const departures = [...body.blocks, ...blocksIn(body, 'removed')].flatMap((block) =>
    departuresIn(block, file),
  )
  return { declared, reads, departures, kept: [], parts, isSure: module.duplicates.length === 0 }
}

/** Blocks that JSON is read without are attributes of the file. */
function declaredOutsideOfBlocks(body: Body): DeclaredName[] {
  return [
    ...localsIn(body).flatMap((block) => declaredIn(block)),
    ...jsonChecks(body).flatMap(({ blocks }) => blocks.flatMap((block) => declaredIn(block))),
  ]
}

function localsIn(body: Body): Block[] {
  return blocksIn(body, 'locals')
}

function blocksIn(body: Body, type: string): Block[] {
  return objectsIn(body.attributes.get(type)).map((one) => {
    const values = Object.entries(one).map(([name, value]) => [name, { kind: 'json', value }] as const)
    return { type, labels: [], body: { attributes: new Map(values), blocks: [] } }
  })
}

function objectsIn(attribute: Attribute | undefined): JsonObject[] {
  return attribute?.kind === 'json' ? objectsOf(attribute.value) : []
}

/** Which part of a file is a block for `dynamic` is not known, so its iterators count for the whole file. */
function iteratorsIn(blocks: readonly { readonly body: Body }[]): string[] {
  return blocks.flatMap(({ body }) =>
    [...body.attributes].flatMap(([name, attribute]) =>
      attribute.kind === 'json' ? iteratorsOf({ [name]: attribute.value }) : [],
    ),
  )
}

function iteratorsOf(value: Json): string[] {
  return objectsOf(value).flatMap((one) =>
    Object.entries(one).flatMap(([key, inner]) => [
      ...(key === 'dynamic' ? objectsOf(inner).flatMap((labels) => Object.keys(labels)) : []),
      ...(key === 'iterator' && typeof inner === 'string' ? [inner] : []),
      ...iteratorsOf(inner),
    ]),
  )
}

/** Terraform evaluates no templates in these blocks, or they hold addresses of resources. */
const LITERAL_BLOCKS: ReadonlySet<string> = new Set(['variable', 'terraform', 'moved', 'removed'])
/** Arguments of which the same is true, by their block. */
const LITERAL_ARGUMENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['output', ['description']],
  ['import', ['to', 'provider']],
  ['module', ['providers']],
  ['resource', ['provider']],
  ['data', ['provider']],
  ['ephemeral', ['provider']],
])

function isLiteralArgument(type: string, name: string): boolean {
  return LITERAL_ARGUMENTS.get(type)?.includes(name) === true
}

/** A template, or an address of `depends_on`, which is not one. */
interface Written {
  readonly text: string
  readonly call?: string
  readonly isAddress?: true
}

function readsOf(text: string, { isAddress }: Omit<Written, 'text'>, bound: BoundNames): NameRead[] {
  const expression = isAddress ? parseExpression(text) : parseTemplateText(text)
  return expression ? namesRead(expression, isAddress ? NOTHING_BOUND : bound) : []
}

function* writtenIn(body: Body): Generator<Written> {
  for (const [name, attribute] of body.attributes)
    if (!LITERAL_BLOCKS.has(name)) yield* templatesOfAttribute(attribute, name)
  for (const block of body.blocks) if (!LITERAL_BLOCKS.has(block.type)) yield* writtenInBlock(block)
}

function* writtenInBlock({ type, labels, body }: Block): Generator<Written> {
  const call = type === 'module' && labels[0] !== undefined ? { call: labels[0] } : {}
  for (const [name, attribute] of body.attributes) {
    if (isLiteralArgument(type, name)) continue
    const written = name === 'depends_on' ? addressesOf(attribute) : templatesOfAttribute(attribute, '')
    for (const one of written) yield { ...one, ...call }
  }
}

function addressesOf(attribute: Attribute): Written[] {
  const value = attribute.kind === 'json' && isList(attribute.value) ? attribute.value : []
  return value.flatMap((text) => (typeof text === 'string' ? [{ text, isAddress: true as const }] : []))
}

/** `type`: of an attribute of the file that is a block. */
function* templatesOfAttribute(attribute: Attribute, type: string): Generator<Written> {
  if (attribute.kind === 'json') yield* templatesIn(attribute.value, type)
}

function* templatesIn(value: Json, type: string): Generator<Written> {
  if (typeof value === 'string') {
    if (value.includes('{')) yield { text: value }
  } else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) {
      if (key === '//' || isLiteralArgument(type, key)) continue
      if (key.includes('{')) yield { text: key }
      yield* templatesIn(inner, type)
    }
}
