/** Parses type constraints of inputs and compares two of them. */

/** A parsed constraint. `unknown` is text this parser does not understand: equal only to itself. */
export type TypeConstraint =
  | { readonly kind: 'any' | 'string' | 'number' | 'bool' }
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
  /\s+|#[^\n]*|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|"(?:[^"\\\n]|\\.)*"|[\p{L}_][\p{L}\p{N}_-]*|./gsu
const ANY: TypeConstraint = { kind: 'any' }

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
  if (s.tokens[s.at] !== '(') return { kind, of: ANY }
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

/** Compares the new constraint with the old: every value of the old still fits when it is `same` or `widened`. */
export type TypeChange = 'same' | 'widened' | 'changed'

/** Compares without white space, comments and the order of attributes. */
export function compareTypes(before: TypeConstraint, after: TypeConstraint): TypeChange {
  if (after.kind === 'any') return before.kind === 'any' ? 'same' : 'widened'
  if (before.kind === 'object' && after.kind === 'object')
    return compareObjects(before.attributes, after.attributes)
  if ('of' in before && 'of' in after && before.kind === after.kind) return compareTypes(before.of, after.of)
  if (before.kind === 'tuple' && after.kind === 'tuple') return compareTuples(before.items, after.items)
  if (before.kind === 'unknown' && after.kind === 'unknown')
    return before.text === after.text ? 'same' : 'changed'
  return before.kind === after.kind ? 'same' : 'changed'
}

function compareTuples(before: readonly TypeConstraint[], after: readonly TypeConstraint[]): TypeChange {
  if (before.length !== after.length) return 'changed'
  return worst(before.map((item, at) => compareTypes(item, after[at] ?? ANY)))
}

function compareObjects(
  before: ReadonlyMap<string, AttributeType>,
  after: ReadonlyMap<string, AttributeType>,
): TypeChange {
  const changes = [...after].map(([name, { type, optional, fallback }]): TypeChange => {
    const old = before.get(name)
    if (old === undefined) return optional ? 'widened' : 'changed'
    if (old.optional && !optional) return 'changed'
    const loosened = old.optional !== optional || old.fallback !== fallback
    return worst([compareTypes(old.type, type), loosened ? 'widened' : 'same'])
  })
  const lacksName = [...before.keys()].some((name) => !after.has(name))
  return lacksName ? 'changed' : worst(changes)
}

function worst(changes: readonly TypeChange[]): TypeChange {
  if (changes.includes('changed')) return 'changed'
  return changes.includes('widened') ? 'widened' : 'same'
}
