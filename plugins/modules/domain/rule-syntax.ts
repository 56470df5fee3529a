/** Parses the `condition` of a `validation` rule, as far as rules are commonly written. */

/** `opaque`: an expression that is not understood; its value is not known. */
export type RuleExpression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly RuleExpression[] }
  | { readonly kind: 'name'; readonly path: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly RuleExpression[] }
  | { readonly kind: 'not'; readonly of: RuleExpression }
  | {
      readonly kind: 'binary'
      readonly sign: BinarySign
      readonly left: RuleExpression
      readonly right: RuleExpression
    }
  | {
      readonly kind: 'choice'
      readonly condition: RuleExpression
      readonly yes: RuleExpression
      readonly no: RuleExpression
    }
  | {
      readonly kind: 'each'
      readonly names: readonly string[]
      readonly of: RuleExpression
      readonly give: RuleExpression
      readonly only: RuleExpression | undefined
    }
  | { readonly kind: 'opaque' }

/** From the loosest to the tightest, as in HCL. */
const LEVELS = [['||'], ['&&'], ['==', '!='], ['<=', '>=', '<', '>'], ['+', '-'], ['*', '/', '%']] as const
export type BinarySign = (typeof LEVELS)[number][number]

const MAX_CHARS = 8_000
const MAX_DEPTH = 40
const TOKEN =
  /\s+|"(?:[^"\\\n]|\\.)*"|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\p{L}_][\p{L}\p{N}_-]*|&&|\|\||[=!<>]=|=>|\.\.\.|./gsu

interface Reader {
  readonly tokens: readonly string[]
  at: number
  depth: number
}

/** Undefined for a text that is not understood. Never throws. */
export function parseRule(condition: string): RuleExpression | undefined {
  if (condition.length > MAX_CHARS) return undefined
  const tokens = (condition.match(TOKEN) ?? []).filter((token) => token.trim() !== '')
  const reader: Reader = { tokens, at: 0, depth: 0 }
  const expression = readExpression(reader)
  return reader.at === tokens.length ? expression : undefined
}

function takes(reader: Reader, token: string): boolean {
  if (reader.tokens[reader.at] !== token) return false
  reader.at += 1
  return true
}

function readExpression(reader: Reader): RuleExpression | undefined {
  if (reader.depth >= MAX_DEPTH) return undefined
  reader.depth += 1
  const condition = readBinary(reader, 0)
  const expression = condition && takes(reader, '?') ? readChoice(reader, condition) : condition
  reader.depth -= 1
  return expression
}

function readChoice(reader: Reader, condition: RuleExpression): RuleExpression | undefined {
  const yes = readExpression(reader)
  if (yes === undefined || !takes(reader, ':')) return undefined
  const no = readExpression(reader)
  return no && { kind: 'choice', condition, yes, no }
}

function readBinary(reader: Reader, level: number): RuleExpression | undefined {
  const signs: readonly BinarySign[] | undefined = LEVELS[level]
  if (signs === undefined) return readUnary(reader)
  let left = readBinary(reader, level + 1)
  while (left !== undefined) {
    const sign = signs.find((one) => takes(reader, one))
    if (sign === undefined) return left
    const right = readBinary(reader, level + 1)
    left = right && { kind: 'binary', sign, left, right }
  }
  return undefined
}

function readUnary(reader: Reader): RuleExpression | undefined {
  if (reader.depth >= MAX_DEPTH) return undefined
  if (takes(reader, '!')) {
    reader.depth += 1
    const of = readUnary(reader)
    reader.depth -= 1
    return of && { kind: 'not', of }
  }
  if (takes(reader, '-')) {
    const of = readPostfix(reader)
    return of?.kind === 'literal' && typeof of.value === 'number'
      ? { kind: 'literal', value: -of.value }
      : of && { kind: 'opaque' }
  }
  return readPostfix(reader)
}

/** Suffixes of a value. Only attributes of a name are understood, not indexes and splats. */
function readPostfix(reader: Reader): RuleExpression | undefined {
  let value = readPrimary(reader)
  while (value !== undefined) {
    if (takes(reader, '.')) value = withAttribute(value, reader.tokens[reader.at++] ?? '')
    else if (takes(reader, '[')) value = skipIndex(reader)
    else return value
  }
  return undefined
}

function withAttribute(value: RuleExpression, attribute: string): RuleExpression {
  const isNamed = value.kind === 'name' && isWord(attribute)
  return isNamed ? { kind: 'name', path: [...value.path, attribute] } : { kind: 'opaque' }
}

function skipIndex(reader: Reader): RuleExpression | undefined {
  const isRead = takes(reader, '*') || readExpression(reader) !== undefined
  return isRead && takes(reader, ']') ? { kind: 'opaque' } : undefined
}

function readPrimary(reader: Reader): RuleExpression | undefined {
  const token = reader.tokens[reader.at]
  if (token === undefined) return undefined
  reader.at += 1
  if (token === '(') {
    const inner = readExpression(reader)
    return takes(reader, ')') ? inner : undefined
  }
  if (token === '[') return takes(reader, 'for') ? readEach(reader) : readList(reader)
  if (token.startsWith('"')) return readText(token)
  if (/^\d/.test(token)) return { kind: 'literal', value: Number(token) }
  if (!isWord(token)) return undefined
  if (takes(reader, '(')) return readCall(reader, token)
  const value = CONSTANTS.get(token)
  return value === undefined ? { kind: 'name', path: [token] } : { kind: 'literal', value }
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function isWord(token: string): boolean {
  return /^[\p{L}_]/u.test(token)
}

/** A string without templates; its escapes are those of JSON. */
function readText(token: string): RuleExpression | undefined {
  if (/[$%]\{/.test(token)) return { kind: 'opaque' }
  try {
    return { kind: 'literal', value: JSON.parse(token) }
  } catch {
    return { kind: 'opaque' }
  }
}

function readCall(reader: Reader, name: string): RuleExpression | undefined {
  const args = readItems(reader, ')')
  return args && { kind: 'call', name, args }
}

function readList(reader: Reader): RuleExpression | undefined {
  const items = readItems(reader, ']')
  return items && { kind: 'list', items }
}

function readItems(reader: Reader, closing: string): readonly RuleExpression[] | undefined {
  const items: RuleExpression[] = []
  while (!takes(reader, closing)) {
    const item = readExpression(reader)
    if (item === undefined) return undefined
    items.push(item)
    if (takes(reader, ',')) continue
    if (reader.tokens[reader.at] !== closing) return undefined
  }
  return items
}

/** `[for a, b in … : … if …]`, behind `for`. */
function readEach(reader: Reader): RuleExpression | undefined {
  const names = [reader.tokens[reader.at++] ?? '']
  if (takes(reader, ',')) names.push(reader.tokens[reader.at++] ?? '')
  if (!names.every(isWord) || !takes(reader, 'in')) return undefined
  const of = readExpression(reader)
  if (of === undefined || !takes(reader, ':')) return undefined
  const give = readExpression(reader)
  const only = takes(reader, 'if') ? readExpression(reader) : undefined
  return give && takes(reader, ']') ? { kind: 'each', names, of, give, only } : undefined
}
