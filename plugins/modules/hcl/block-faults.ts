/** Finds what Terraform refuses in a `module` block regardless of the module that it calls. */
import type { BlockFault } from '../domain/check.ts'
import type { Attribute, Block } from './body.ts'
import { readLiteral } from './literals.ts'
import { codeOnly } from './output-uses.ts'

/** OpenTofu takes a `lifecycle` in a module block; the reader of HCL gives no lines for JSON. */
const TAKEN_BLOCKS: ReadonlySet<string> = new Set(['lifecycle'])

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
    ...(attributes.has('count') ? [] : given.flatMap((one) => misplaced(one, COUNT))),
    ...(attributes.has('for_each') ? [] : given.flatMap((one) => misplaced(one, EACH))),
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
    (typeof value === 'number' && (value < 0 || !Number.isInteger(value))) ||
    (typeof value === 'string' && !/\d/.test(value)) ||
    typeof value === 'boolean'
  return isRefused ? [{ line: count?.line ?? at, kind: 'count', name: 'count' }] : []
}

function forEachFault(forEach: Attribute | undefined, at: number): BlockFault[] {
  const value = literalOf(forEach)
  const isRefused =
    value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value))
  return isRefused ? [{ line: forEach?.line ?? at, kind: 'for_each', name: 'for_each' }] : []
}

function literalOf(attribute: Attribute | undefined) {
  const literal = attribute?.kind === 'source' ? readLiteral(attribute.text) : undefined
  return literal?.kind === 'literal' ? literal.value : undefined
}

const COUNT = { name: 'count', read: /(?<![\p{L}\p{N}_.-])count\.index(?![\p{L}\p{N}_-])/u }
const EACH = { name: 'for_each', read: /(?<![\p{L}\p{N}_.-])each\.(?:key|value)(?![\p{L}\p{N}_-])/u }
/** A `for` may give these names to its own values. */
const BOUND = /\bfor\s+(?:[\p{L}\p{N}_-]+\s*,\s*)?(?:count|each)\b|\bfor\s+(?:count|each)\b/u

function misplaced(attribute: Attribute, { name, read }: typeof COUNT): BlockFault[] {
  if (attribute.kind !== 'source' || !/count|each/.test(attribute.text)) return []
  const code = codeOnly(attribute.text)
  return read.test(code) && !BOUND.test(code) ? [{ line: attribute.line ?? 1, kind: 'misplaced', name }] : []
}
