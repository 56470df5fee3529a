import type { Tool } from '../contract/tool.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { CutList, CutText } from './cut.ts'

/** A value that an answer quotes from a program, as a text writes it: `"true"` is not a flag, and `{}` is not `null`. */
export class Literal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/**
 * Data whose quoted values are literals in JSON. A value stays as it is where the member that the tool names beside it is
 * true, because it is the text of an expression then, and where a page holds only a part of it.
 */
export function withLiterals(
  data: Record<string, unknown>,
  literals: Tool['literals'] = {},
): Record<string, unknown> {
  let shown: unknown = data
  for (const [path, unless] of Object.entries(literals))
    shown = literalAt(shown, path.split('/').slice(1), unless)
  return shown as Record<string, unknown> // an object stays one
}

function literalAt(value: unknown, path: readonly string[], unless: string): unknown {
  const [name = '', ...rest] = path
  if (value instanceof CutText) return value
  if (value instanceof CutList)
    return new CutList(eachAt(value.entries, rest, unless), value.first, value.shown)
  if (Array.isArray(value)) return eachAt(value, rest, unless)
  if (!isJsonObject(value) || !(name in value)) return value
  const member = value[name]
  if (rest.length > 0) return { ...value, [name]: literalAt(member, rest, unless) }
  return value[unless] === true || isPartial(member) ? value : { ...value, [name]: literalOf(member) }
}

function eachAt(entries: readonly unknown[], path: readonly string[], unless: string): readonly unknown[] {
  return entries.map((entry) => literalAt(entry, path, unless))
}

function literalOf(value: unknown): Literal | undefined {
  return value === undefined ? undefined : new Literal(JSON.stringify(value))
}

/** Whether a page leaves something of the value to another one. */
function isPartial(value: unknown): boolean {
  if (value instanceof CutText || value instanceof CutList) return true
  if (Array.isArray(value)) return value.some(isPartial)
  return isJsonObject(value) && Object.values(value).some(isPartial)
}
