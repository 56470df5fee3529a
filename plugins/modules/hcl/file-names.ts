/** Reads what a file declares and which names its expressions read. */
import { posix } from 'node:path'
import type { Pieces } from '../../../server/plugin.ts'
import {
  type DeclaredName,
  type Departure,
  type FileNames,
  type KeptExpression,
  type PlacedRead,
  partOf,
  type Repetition,
} from '../domain/configuration-names.ts'
import { countBelow } from '../domain/count-below.ts'
import { isOverrideFile } from '../domain/module-files.ts'
import { type BoundNames, type NameRead, NOTHING_BOUND, namesRead } from '../domain/names-read.ts'
import { parseExpression } from '../domain/parse-expression.ts'
import type { Attribute, Block, Body } from './body.ts'
import { readLiteral } from './literals.ts'
import { readingHcl } from './reader.ts'

/** The names of an HCL file. What cannot be read makes the answer unsure; an expression that is not understood reads nothing. */
export function* readingFileNames(file: string | undefined, text: string): Pieces<FileNames> {
  const read = yield* readingHcl(text)
  const reads: PlacedRead[] = []
  for (const block of read.blocks) {
    yield
    readBlock(block, { reads, ...(file !== undefined && { file }) })
  }
  const isSure = read.problems.length === 0 && read.doubts.length === 0
  const declared = read.blocks.flatMap((block) => declaredIn(block))
  const departures = read.blocks.flatMap((block) => departuresIn(block, file))
  const kept = read.blocks.flatMap((block) => keptIn(block, file))
  return { declared, reads, departures, kept, isSure, parts: partsIn(file, read.blocks) }
}

const KEPT: ReadonlyMap<string, readonly KeptExpression['argument'][]> = new Map([
  ['output', ['value']],
  ['resource', ['count', 'for_each']],
  ['data', ['count', 'for_each']],
])

function keptIn(block: Block, file: string | undefined): KeptExpression[] {
  const { type, labels, body } = block
  const name = [...(type === 'data' ? [type] : []), ...labels].join('.')
  return (KEPT.get(type) ?? []).flatMap((argument) => {
    const attribute = body.attributes.get(argument)
    if (attribute?.kind !== 'source') return []
    const { text, line } = attribute
    const place = { part: partOf(block, argument), line, ...(file !== undefined && { file }) }
    return [{ argument, name, text, ...place }]
  })
}

/** What a block says is not there any more; an address of JSON is a text. Terraform leaves those of override files alone. */
export function departuresIn(
  { type, body: { attributes }, line = 1 }: Block,
  file: string | undefined,
): Departure[] {
  if ((type !== 'moved' && type !== 'removed') || isOverride(file)) return []
  const [from, to] = ['from', 'to'].map((name) => addressIn(attributes.get(name)))
  if (from === undefined || (type === 'moved' && to === undefined)) return []
  return [{ block: type, from, ...(to && { to }), ...(file !== undefined && { file }), line }]
}

function addressIn(attribute: Attribute | undefined): NameRead | undefined {
  const text = attribute?.kind === 'source' ? attribute.text : attribute?.value
  const address = typeof text === 'string' ? parseExpression(text) : undefined
  return address && namesRead(address)[0]
}

/** What an override file states. */
export function partsIn(file: string | undefined, blocks: readonly Block[]): string[] {
  if (!isOverride(file)) return []
  return blocks.flatMap((block) => {
    const inner = block.body.blocks.map((one) => nameOfInner(one))
    return [...block.body.attributes.keys(), ...inner].map((name) => partOf(block, name))
  })
}

function isOverride(file: string | undefined): boolean {
  return file !== undefined && isOverrideFile(posix.basename(file))
}

function nameOfInner({ type, labels }: Block): string {
  return type === 'dynamic' ? (labels[0] ?? '') : type
}

/** Kinds of blocks with two labels, by their type. */
const TYPED = { resource: 'resource', data: 'data', ephemeral: 'ephemeral' } as const

/** What a block at the top of a file declares. */
export function declaredIn({ type, labels, body }: Block): DeclaredName[] {
  const [first = '', second = ''] = labels
  if (type === 'variable') return [{ kind: 'var', name: first }]
  if (type === 'module') return [{ kind: 'module', name: first }]
  if (type === 'locals') return [...body.attributes].map(([name, value]) => declaredLocal(name, value))
  // The data of a check is only for its assertions; Terraform says so itself.
  if (type === 'check') return body.blocks.flatMap((block) => declaredIn(block))
  if (type === 'terraform') return body.blocks.flatMap(requiredProviders)
  if (type === 'resource' || type === 'data' || type === 'ephemeral')
    return [{ kind: TYPED[type], name: `${first}.${second}`, repetition: repetitionOf(body) }]
  return []
}

function declaredLocal(name: string, attribute: Attribute): DeclaredName {
  const value = attribute.kind === 'source' ? parseExpression(attribute.text) : undefined
  return { kind: 'local', name, ...(value && { value }) }
}

function requiredProviders({ type, body }: Block): DeclaredName[] {
  if (type !== 'required_providers') return []
  return [...body.attributes.keys()].map((name) => ({ kind: 'provider', name }))
}

function repetitionOf({ attributes }: Body): Repetition {
  return isStated(attributes.get('count'))
    ? 'count'
    : isStated(attributes.get('for_each'))
      ? 'for_each'
      : 'one'
}

/** In JSON, `null` is as if the argument were absent. */
function isStated(attribute: Attribute | undefined): boolean {
  return attribute !== undefined && (attribute.kind === 'source' || attribute.value !== null)
}

interface Reading {
  readonly file?: string
  readonly reads: PlacedRead[]
  readonly call?: string
  readonly part?: string
  readonly isConditional?: true
}

/** Blocks whose expressions are evaluated. Of all others (`moved`, `terraform`, …) nothing is known. */
const EVALUATED: ReadonlySet<string> = new Set([
  'variable',
  'output',
  'locals',
  'module',
  'resource',
  'data',
  'ephemeral',
  'check',
  'import',
  'provider',
])
/** Arguments that hold no expression of values, by the type of their block. */
const OTHER_SYNTAX: ReadonlyMap<string, readonly string[]> = new Map([
  ['variable', ['type', 'default', 'nullable', 'sensitive', 'ephemeral']],
  ['module', ['providers']],
  ['resource', ['provider']],
  ['data', ['provider']],
  ['ephemeral', ['provider']],
  ['import', ['to', 'provider']],
])
/** Blocks of a resource with arguments of this kind. */
const OF_RESOURCE: ReadonlyMap<string, readonly string[]> = new Map([
  ['lifecycle', ['ignore_changes', 'replace_triggered_by']],
  ['provisioner', ['when', 'on_failure']],
])
const TYPED_BLOCKS: ReadonlySet<string> = new Set(Object.keys(TYPED))
function readBlock(block: Block, reading: Reading): void {
  const { type, labels, body } = block
  if (!EVALUATED.has(type)) return
  const call = type === 'module' && labels[0] !== undefined ? { call: labels[0] } : {}
  // Terraform evaluates a provider only if something uses it.
  const at: Reading = { ...reading, ...call, ...(type === 'provider' && { isConditional: true }) }
  const skipped = OTHER_SYNTAX.get(type) ?? []
  for (const [name, attribute] of body.attributes)
    if (!skipped.includes(name))
      readAttribute(name, attribute, NOTHING_BOUND, { ...at, part: partOf(block, name) })
  for (const inner of body.blocks) {
    if (type === 'check') readBlock({ ...inner, type: innerOfCheck(inner) }, at)
    else
      readInner(
        inner,
        NOTHING_BOUND,
        { ...at, part: partOf(block, nameOfInner(inner)) },
        TYPED_BLOCKS.has(type),
      )
  }
}

/** `assert` is read as an output is. */
function innerOfCheck({ type }: Block): string {
  return type === 'assert' ? 'output' : type
}

function readInner(block: Block, bound: BoundNames, reading: Reading, isResource: boolean): void {
  if (block.type === 'dynamic') {
    readDynamic(block, bound, reading)
    return
  }
  if (isResource && block.type === 'action_trigger') return
  readAttributes(block.body, isResource ? (OF_RESOURCE.get(block.type) ?? []) : [], bound, reading)
  for (const inner of block.body.blocks)
    readInner(inner, bound, reading, isResource && block.type === 'lifecycle')
}

/** The content of a dynamic block has its iterator, the label or what `iterator` names; it may be for no element. */
function readDynamic({ labels, body }: Block, bound: BoundNames, reading: Reading): void {
  const iterator = body.attributes.get('iterator')
  const stated = iterator?.kind === 'source' ? iterator.text.trim() : undefined
  const inside: Reading = { ...reading, isConditional: true }
  const inner = new Map([...bound, [stated ?? labels[0] ?? '', undefined]])
  readAttributes(body, ['iterator', 'labels'], bound, reading)
  const named = body.attributes.get('labels')
  if (named !== undefined) readAttribute('labels', named, inner, inside)
  for (const { type, body: content } of body.blocks) {
    if (type !== 'content') continue
    readAttributes(content, [], inner, inside)
    for (const block of content.blocks) readInner(block, inner, inside, false)
  }
}

function readAttributes(body: Body, skipped: readonly string[], bound: BoundNames, reading: Reading): void {
  for (const [name, attribute] of body.attributes)
    if (!skipped.includes(name)) readAttribute(name, attribute, bound, reading)
}

/** Literals are most of what is written, and read nothing. */
function readAttribute(name: string, attribute: Attribute, bound: BoundNames, reading: Reading): void {
  if (attribute.kind !== 'source' || readLiteral(attribute.text).kind === 'literal') return
  const expression = parseExpression(attribute.text)
  if (expression === undefined) return
  const { reads, ...place } = reading
  const breaks = [...attribute.text.matchAll(/\n/g)].map(({ index }) => index)
  for (const read of namesRead(expression, bound)) {
    const line = attribute.line + countBelow(breaks, read.offset)
    reads.push({ ...read, ...place, line, ...(name === 'depends_on' && { isAddress: true }) })
  }
}
