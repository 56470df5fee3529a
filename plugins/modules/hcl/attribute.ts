/** Reads the value of an attribute as JSON, text or flag. */
import { heredocSource, readHeredoc } from '../domain/heredoc.ts'
import type { Stated } from '../domain/module-facts.ts'
import { holdsTemplate, unescapeMarkers } from '../domain/quoted.ts'
import { tidySource } from '../domain/source-text.ts'
import type { Json } from '../domain/summary.ts'
import type { Attribute } from './body.ts'
import { createCursor } from './cursor.ts'
import { readLiteral } from './literals.ts'
import { scanQuoted } from './scan-value.ts'

/** Collects what the evaluation of attributes could not decide. Owned by one extraction. */
export interface Notes {
  /** Attributes whose value only the reference knows, with the reason. */
  readonly unsure: Map<Attribute, string>
  /** Lines of numbers that JSON cannot hold. */
  readonly numbersAsText: Set<number | undefined>
}

/** The value of an attribute: a literal, or the source text of an expression. */
export function statedValue(attribute: Attribute, notes: Notes): Stated {
  if (attribute.kind === 'json') return statedJson(attribute.value)
  const literal = readLiteral(attribute.text)
  if (literal.kind === 'unsure') notes.unsure.set(attribute, literal.reason)
  if (literal.kind !== 'literal') return { value: tidySource(attribute.text), expression: true }
  if (literal.asText) notes.numbersAsText.add(attribute.line)
  return { value: literal.value }
}

/** As `statedValue` for fields that are text: a template is returned without its quotes, an expression as its source. */
export function statedText(attribute: Attribute, notes: Notes): string {
  const { value, expression } = statedValue(attribute, notes)
  if (expression === undefined || attribute.kind === 'json')
    return typeof value === 'string' ? value : JSON.stringify(value)
  const { text } = attribute
  const heredoc = readHeredoc(text, 0)
  if (heredoc?.end === text.length) return heredocSource(heredoc)
  return isQuoted(text) ? text.slice(1, -1) : tidySource(text)
}

function isQuoted(text: string): boolean {
  const cursor = createCursor(text)
  return text.startsWith('"') && scanQuoted(cursor) && cursor.at === text.length
}

/** `true` or `false` when the attribute is one of these literals. */
export function statedFlag(attribute: Attribute, notes: Notes): boolean | undefined {
  const { value, expression } = statedValue(attribute, notes)
  if (expression !== undefined) return undefined
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : undefined
}

/** The source text of an expression or type constraint; a quoted one (`type = "string"`) is returned without quotes. */
export function statedSource(attribute: Attribute): string {
  if (attribute.kind === 'json') {
    return typeof attribute.value === 'string'
      ? stripTemplate(attribute.value)
      : JSON.stringify(attribute.value)
  }
  const literal = readLiteral(attribute.text)
  const plain =
    literal.kind === 'literal' && typeof literal.value === 'string' && attribute.text.startsWith('"')
  return plain ? String(literal.value) : tidySource(attribute.text)
}

/** Whether a JSON value holds a string with `${` or `%{`: JSON syntax writes expressions that way. */
export function holdsExpression(value: Json): boolean {
  if (typeof value === 'string') return holdsTemplate(value)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([key, inner]) => holdsTemplate(key) || holdsExpression(inner))
}

function statedJson(value: Json): Stated {
  if (!holdsExpression(value)) return { value: withTexts(value, unescapeMarkers) }
  return { value: typeof value === 'string' ? stripTemplate(value) : value, expression: true }
}

/** `${x}` alone is the expression `x`. */
function stripTemplate(text: string): string {
  if (!text.startsWith('${') || !text.endsWith('}')) return text
  const inside = text.slice(2, -1)
  return holdsTemplate(inside) && inside.indexOf('}') < inside.indexOf('{') ? text : inside
}

/** JSON with every text in it changed, names of members too. */
export function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((inner) => withTexts(inner, change))
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [change(key), withTexts(inner, change)]),
  )
}
