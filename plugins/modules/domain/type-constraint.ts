/** Parses type constraints of inputs. */
import { plainLine } from './hcl-text.ts'

/** A parsed constraint. `unknown` is text this parser does not understand: equal only to itself. */
export type TypeConstraint =
  | { readonly kind: 'any' /** Not stated: the element of a bare `list`. */; readonly implied?: true }
  | { readonly kind: 'string' | 'number' | 'bool' }
  | { readonly kind: 'list' | 'set' | 'map'; readonly of: TypeConstraint }
  | { readonly kind: 'tuple'; readonly items: readonly TypeConstraint[] }
  | { readonly kind: 'object'; readonly attributes: ReadonlyMap<string, AttributeType> }
  | { readonly kind: 'unknown'; readonly text: string }

/** An attribute of an object type; `fallback` is the source text of the second argument of `optional()`. */
export interface AttributeType {
  readonly type: TypeConstraint
  readonly optional: boolean
  readonly fallback?: string
}

const MAX_DEPTH = 64
/** Longer constraints are compared as text. */
const MAX_CHARS = 50_000
const TOKEN =
  /\s+|#[^\n]*|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|"(?:[^"\\\n]|\\.)*"|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\p{L}_][\p{L}\p{N}_-]*|./gsu

/** Parses the source text of a constraint. Never throws. `list` alone is a list of anything, as in old modules. */
export function parseType(text: string): TypeConstraint {
  if (text.length > MAX_CHARS) return unknownType(text)
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !/^(?:\s|#|\/\/|\/\*)/.test(token))
  const source: Tokens = { tokens, at: 0 }
  const type = readType(source, 0)
  return type === undefined || source.at < tokens.length ? unknownType(tokens.join('')) : type
}

interface Tokens {
  readonly tokens: readonly string[]
  at: number
}

function unknownType(text: string): TypeConstraint {
  return { kind: 'unknown', text }
}

function readType(s: Tokens, depth: number): TypeConstraint | undefined {
  const name = s.tokens[s.at]
  if (name === undefined || depth > MAX_DEPTH) return undefined
  s.at += 1
  if (name === 'any' || name === 'string' || name === 'number' || name === 'bool') return { kind: name }
  if (name === 'list' || name === 'set' || name === 'map') return readCollection(s, name, depth)
  if (name === 'tuple') return readTuple(s, depth)
  return name === 'object' ? readObject(s, depth) : undefined
}

function readCollection(s: Tokens, kind: 'list' | 'set' | 'map', depth: number): TypeConstraint | undefined {
  if (s.tokens[s.at] !== '(') return { kind, of: { kind: 'any', implied: true } }
  s.at += 1
  const of = readType(s, depth + 1)
  return of !== undefined && take(s, ')') ? { kind, of } : undefined
}

function readTuple(s: Tokens, depth: number): TypeConstraint | undefined {
  if (!take(s, '(') || !take(s, '[')) return undefined
  const items: TypeConstraint[] = []
  while (s.tokens[s.at] !== ']') {
    const item = readType(s, depth + 1)
    if (item === undefined) return undefined
    items.push(item)
    if (s.tokens[s.at] === ',') s.at += 1
    else if (s.tokens[s.at] !== ']') return undefined
  }
  s.at += 1
  return take(s, ')') ? { kind: 'tuple', items } : undefined
}

function readObject(s: Tokens, depth: number): TypeConstraint | undefined {
  if (!take(s, '(') || !take(s, '{')) return undefined
  const attributes = new Map<string, AttributeType>()
  while (s.tokens[s.at] !== '}') {
    const name = s.tokens[s.at]
    s.at += 1
    if (name === undefined || !(take(s, '=') || take(s, ':'))) return undefined
    const type = readAttributeType(s, depth + 1)
    if (type === undefined) return undefined
    attributes.set(name.replace(/^"|"$/g, ''), type)
    if (s.tokens[s.at] === ',') s.at += 1
  }
  s.at += 1
  return take(s, ')') ? { kind: 'object', attributes } : undefined
}

function readAttributeType(s: Tokens, depth: number): AttributeType | undefined {
  if (s.tokens[s.at] !== 'optional') {
    const type = readType(s, depth)
    return type && { type, optional: false }
  }
  s.at += 1
  if (!take(s, '(')) return undefined
  const type = readType(s, depth)
  if (type === undefined) return undefined
  const fallback = take(s, ',') ? readUntilClosed(s) : undefined
  if (!take(s, ')')) return undefined
  return { type, optional: true, ...(fallback === undefined ? {} : { fallback }) }
}

/** The text up to the bracket that closes the one around it. */
function readUntilClosed(s: Tokens): string {
  const start = s.at
  let depth = 0
  for (; s.at < s.tokens.length; s.at += 1) {
    const token = s.tokens[s.at] ?? ''
    if ('([{'.includes(token)) depth += 1
    if (')]}'.includes(token) && --depth < 0) break
  }
  return s.tokens.slice(start, s.at).join(' ')
}

function take(s: Tokens, token: string): boolean {
  if (s.tokens[s.at] !== token) return false
  s.at += 1
  return true
}

/** A type in words of its constraint, without the attributes of objects. */
export function describeType(type: TypeConstraint): string {
  if (type.kind === 'unknown') return plainLine(type.text)
  if ('of' in type) return `${type.kind}(${describeType(type.of)})`
  if (type.kind === 'tuple') return `tuple([${type.items.map(describeType).join(', ')}])`
  return type.kind === 'object' ? 'object({…})' : type.kind
}
