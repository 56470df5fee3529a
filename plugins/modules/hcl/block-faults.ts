/** Finds what Terraform refuses in a `module` block regardless of the module that it calls. */
import type { BlockFault } from '../domain/check.ts'
import type { Expression } from '../domain/expression.ts'
import { type NameRead, namesRead, pathOf } from '../domain/names-read.ts'
import { parseExpression } from '../domain/parse-expression.ts'
import type { Json } from '../domain/summary.ts'
import type { Attribute, Block } from './body.ts'
import { isList } from './json-module.ts'
import { readLiteral } from './literals.ts'

/** The block whose arguments are all inputs, also `count` and the like. */
export const ESCAPE = '_'

/** OpenTofu takes a `lifecycle` in a module block; the reader of HCL gives no lines for JSON. */
const TAKEN_BLOCKS: ReadonlySet<string> = new Set(['lifecycle', ESCAPE])

export function blockFaults({ body, line = 1 }: Block): BlockFault[] {
  const nested = body.blocks.flatMap((inner) =>
    inner.line === undefined || TAKEN_BLOCKS.has(inner.type) ? [] : [nestedBlock(inner, inner.line)],
  )
  const { attributes } = body
  const given = [...attributes.values()]
  const faults = [
    ...nested,
    ...countFault(attributes.get('count'), line),
    ...forEachFault(attributes.get('for_each'), line),
    ...dependsOnFault(attributes.get('depends_on'), line),
    ...(attributes.has('count') ? [] : given.flatMap((one) => misplaced(one, COUNT))),
    ...(attributes.has('for_each') ? [] : given.flatMap((one) => misplaced(one, EACH))),
    ...given.flatMap((one) => misplaced(one, SELF)),
  ]
  return faults
}

function nestedBlock({ type, labels }: Block, line: number): BlockFault {
  const name = type === 'dynamic' ? (labels[0] ?? type) : type
  return { line, kind: 'nested', name }
}

function countFault(count: Attribute | undefined, at: number): BlockFault[] {
  const value = literalOf(count)
  const isRefused =
    value === null ||
    (typeof value === 'number' && (value < 0 || !Number.isInteger(value))) ||
    (typeof value === 'string' && !/\d/.test(value)) ||
    typeof value === 'boolean'
  return isRefused ? [{ line: count?.line ?? at, kind: 'count', name: 'count' }] : []
}

function forEachFault(forEach: Attribute | undefined, at: number): BlockFault[] {
  const value = literalOf(forEach)
  const isRefused =
    value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))
  return isRefused ? [{ line: forEach?.line ?? at, kind: 'for_each', name: 'for_each' }] : []
}

function dependsOnFault(dependsOn: Attribute | undefined, at: number): BlockFault[] {
  const isTaken = dependsOn === undefined || isAddresses(dependsOn)
  return isTaken ? [] : [{ line: dependsOn.line ?? at, kind: 'depends_on', name: 'depends_on' }]
}

function isAddresses(dependsOn: Attribute): boolean {
  if (dependsOn.kind === 'json') {
    const { value } = dependsOn
    return value === null || (isList(value) && value.every(isAddressText))
  }
  const given = parseExpression(dependsOn.text)
  return given === undefined || (given.kind === 'list' && given.items.every(isAddress))
}

/** In JSON an address is a text, and no template. */
function isAddressText(text: Json): boolean {
  if (typeof text !== 'string') return false
  const given = parseExpression(text)
  return given === undefined ? !/^\s*\$\{|[\p{L}\p{N}]\s+[\p{L}\p{N}]/u.test(text) : isAddress(given)
}

/** Terraform takes an address in quotes, too. */
function isAddress(item: Expression): boolean {
  const { from, steps } = pathOf(item)
  const isStatic = steps.every(
    (step) => step.kind === 'attribute' || (step.kind === 'index' && step.key.kind === 'literal'),
  )
  return isStatic && (from.kind === 'name' || (from.kind === 'literal' && typeof from.value !== 'number'))
}

function literalOf(attribute: Attribute | undefined) {
  const literal = attribute?.kind === 'source' ? readLiteral(attribute.text) : undefined
  return literal?.kind === 'literal' ? literal.value : undefined
}

/** Whether a reading is one that only some blocks have. */
type Reads = (read: NameRead) => boolean

const COUNT = { name: 'count', isOf: readsPart('count', ['index']) }
const EACH = { name: 'for_each', isOf: readsPart('each', ['key', 'value']) }
const SELF = { name: 'self', isOf: ({ root }: NameRead): boolean => root === 'self' }

function readsPart(name: string, parts: readonly string[]): Reads {
  return ({ root, steps: [first] }) =>
    root === name && first?.kind === 'attribute' && parts.includes(first.name)
}

function misplaced(attribute: Attribute, { name, isOf }: typeof COUNT): BlockFault[] {
  if (attribute.kind !== 'source' || !/count|each|self/.test(attribute.text)) return []
  const expression = parseExpression(attribute.text)
  const isRead = expression !== undefined && namesRead(expression).some(isOf)
  return isRead ? [{ line: attribute.line ?? 1, kind: 'misplaced', name }] : []
}
