/** Parses the source text of a value into its parts. What is not understood as a whole is undefined. */
import type { Expression, Step } from './expression.ts'
import {
  acrossLines,
  type Parsing,
  readForHead,
  skip,
  takes,
  takesWord,
  takeWord,
} from './expression-cursor.ts'
import { readHeredoc } from './heredoc.ts'
import { readHeredocParts, readQuotedParts, readTextParts } from './parse-template.ts'

const MAX_DEPTH = 100
/** Operations of one kind in a row: each is a level of the tree. */
const MAX_LENGTH = 500

/** The value that a text is as a whole. Never throws; linear in its length. */
export function parseExpression(text: string, maxDepth = MAX_DEPTH): Expression | undefined {
  const p: Parsing = { text, at: 0, depth: 0, maxDepth, isLineBound: false, read: readExpression }
  const expression = readExpression(p)
  skip(p)
  return p.at === text.length ? expression : undefined
}

/** A text that is a template without quotes, as strings of JSON are. */
export function parseTemplateText(text: string): Expression | undefined {
  return readTextParts({
    text,
    at: 0,
    depth: 0,
    maxDepth: MAX_DEPTH,
    isLineBound: false,
    read: readExpression,
  })
}

/** From the loosest to the tightest. */
const LEVELS = [['||'], ['&&'], ['==', '!='], ['<=', '>=', '<', '>'], ['+', '-'], ['*', '/', '%']] as const

function readExpression(p: Parsing): Expression | undefined {
  if (p.depth >= p.maxDepth) return undefined
  p.depth += 1
  const condition = readBinary(p, 0)
  const expression = condition && takes(p, '?') ? readChoice(p, condition) : condition
  p.depth -= 1
  return expression
}

function readChoice(p: Parsing, condition: Expression): Expression | undefined {
  const yes = readExpression(p)
  if (yes === undefined || !takes(p, ':')) return undefined
  const no = readExpression(p)
  return no && { kind: 'choice', condition, yes, no }
}

function readBinary(p: Parsing, level: number): Expression | undefined {
  const signs: readonly string[] | undefined = LEVELS[level]
  if (signs === undefined) return readUnary(p)
  let left = readBinary(p, level + 1)
  for (let length = 0; left !== undefined && length < MAX_LENGTH; length += 1) {
    const sign = signs.find((one) => takesSign(p, one))
    if (sign === undefined) return left
    const right = readBinary(p, level + 1)
    left = right && { kind: 'operation', sign, of: [left, right] }
  }
  return undefined
}

/** `<` is not the start of `<<EOT`, nor `%` that of `%{`. */
function takesSign(p: Parsing, sign: string): boolean {
  skip(p)
  const next = p.text[p.at + sign.length] ?? ''
  if ((sign === '<' && next === '<') || (sign === '%' && next === '{')) return false
  return takes(p, sign)
}

function readUnary(p: Parsing): Expression | undefined {
  skip(p)
  const sign = p.text[p.at] ?? ''
  if (sign !== '!' && sign !== '-') return readPostfix(p)
  if (p.depth >= p.maxDepth) return undefined
  p.at += 1
  p.depth += 1
  const of = readUnary(p)
  p.depth -= 1
  if (of?.kind === 'literal' && typeof of.value === 'number' && sign === '-')
    return { kind: 'literal', value: -of.value }
  return of && { kind: 'operation', sign, of: [of] }
}

function readPostfix(p: Parsing): Expression | undefined {
  let value = readPrimary(p)
  while (value !== undefined) {
    const steps = takes(p, '[') ? readIndex(p) : isDot(p) ? readDot(p) : []
    if (steps?.length === 0) return value
    value = steps?.reduce<Expression>((of, step) => ({ kind: 'step', of, step }), value)
  }
  return undefined
}

/** `...` after a value is the mark of a group. */
function isDot(p: Parsing): boolean {
  return p.text[p.at] === '.' && !p.text.startsWith('...', p.at)
}

function readIndex(p: Parsing): Step[] | undefined {
  return acrossLines(p, () => {
    if (takes(p, '*')) return takes(p, ']') ? [{ kind: 'splat' }] : undefined
    const key = readExpression(p)
    return key && takes(p, ']') ? [{ kind: 'index', key }] : undefined
  })
}

const DIGITS = /\d+/y
const LEGACY_INDEXES = /\d+\.\d+/y

/** An attribute, or as in old code `.*` and `.0`. */
function readDot(p: Parsing): Step[] | undefined {
  p.at += 1
  if (takes(p, '*')) return [{ kind: 'splat' }]
  for (const pattern of [LEGACY_INDEXES, DIGITS]) {
    pattern.lastIndex = p.at
    const digits = pattern.exec(p.text)?.[0]
    if (digits === undefined) continue
    p.at += digits.length
    return digits.split('.').map((key) => ({ kind: 'index', key: { kind: 'literal', value: Number(key) } }))
  }
  const name = takeWord(p)
  return name === undefined ? undefined : [{ kind: 'attribute', name }]
}

const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function readPrimary(p: Parsing): Expression | undefined {
  skip(p)
  if (takes(p, '(')) {
    const inner = acrossLines(p, () => {
      const of = readExpression(p)
      return takes(p, ')') ? of : undefined
    })
    // Brackets matter for keys of objects: (a) is not "a".
    return inner?.kind === 'name' ? { kind: 'operation', sign: '(', of: [inner] } : inner
  }
  if (takes(p, '[')) return acrossLines(p, () => (isFor(p) ? readFor(p, ']') : readList(p)))
  if (takes(p, '{')) {
    const isEach = acrossLines(p, () => isFor(p))
    return isEach ? acrossLines(p, () => readFor(p, '}')) : readObject(p)
  }
  if (p.text[p.at] === '"') return readQuotedParts(p)
  if (p.text.startsWith('<<', p.at)) {
    const heredoc = readHeredoc(p.text, p.at)
    return heredoc && readHeredocParts(p, heredoc)
  }
  NUMBER.lastIndex = p.at
  const number = NUMBER.exec(p.text)?.[0]
  if (number === undefined) return readNamed(p)
  p.at += number.length
  return { kind: 'literal', value: Number(number) }
}

function readNamed(p: Parsing): Expression | undefined {
  const offset = p.at
  let name = takeWord(p)
  if (name === undefined) return undefined
  while (p.text.startsWith('::', p.at)) {
    p.at += 2
    const part = takeWord(p)
    if (part === undefined) return undefined
    name = `${name}::${part}`
  }
  if (takes(p, '(')) return acrossLines(p, () => readCall(p, name, offset))
  const value = CONSTANTS.get(name)
  return value === undefined ? { kind: 'name', root: name, offset } : { kind: 'literal', value }
}

function readCall(p: Parsing, name: string, offset: number): Expression | undefined {
  const args: Expression[] = []
  while (!takes(p, ')')) {
    const one = readExpression(p)
    if (one === undefined) return undefined
    args.push(one)
    const isSpread = takes(p, '...')
    if (!isSpread && takes(p, ',')) continue
    return takes(p, ')') ? { kind: 'call', name, args, offset, ...(isSpread && { isSpread }) } : undefined
  }
  return { kind: 'call', name, args, offset }
}

function readList(p: Parsing): Expression | undefined {
  const items: Expression[] = []
  while (!takes(p, ']')) {
    const item = readExpression(p)
    if (item === undefined) return undefined
    items.push(item)
    if (takes(p, ',')) continue
    return takes(p, ']') ? { kind: 'list', items } : undefined
  }
  return { kind: 'list', items }
}

function isFor(p: Parsing): boolean {
  const from = p.at
  const isWord = takesWord(p, 'for')
  const next = isWord ? takeWord(p) : undefined // `for = 1` is an entry of an object
  p.at = from
  return next !== undefined
}

/** `for a, b in of : value if only`, or with `key => value`, up to its bracket. */
function readFor(p: Parsing, closing: string): Expression | undefined {
  const head = takesWord(p, 'for') ? readForHead(p) : undefined
  if (head === undefined || !takes(p, ':')) return undefined
  const first = readExpression(p)
  const second = first && takes(p, '=>') ? readExpression(p) : undefined
  if (second !== undefined) takes(p, '...')
  const only = takesWord(p, 'if') ? readExpression(p) : undefined
  if (first === undefined || !takes(p, closing)) return undefined
  const what = second === undefined ? { value: first } : { key: first, value: second }
  return { kind: 'for', ...head, ...what, ...(only && { only }) }
}

function readObject(p: Parsing): Expression | undefined {
  const { isLineBound } = p
  const entries: { key: Expression; value: Expression }[] = []
  for (;;) {
    p.isLineBound = false
    skip(p)
    if (p.text[p.at] === '}') break
    p.isLineBound = true
    const entry = readEntry(p)
    if (entry === undefined || !isEntryOver(p)) return undefined
    entries.push(entry)
  }
  p.at += 1
  p.isLineBound = isLineBound
  return { kind: 'object', entries }
}

function readEntry(p: Parsing): { key: Expression; value: Expression } | undefined {
  const key = readExpression(p)
  if (key === undefined || !(takes(p, '=') || takes(p, ':'))) return undefined
  skip(p)
  if (p.text[p.at] === '\n') return undefined
  const value = readExpression(p)
  return value && { key: key.kind === 'name' ? { kind: 'literal', value: key.root } : key, value }
}

/** A comma, a line break, or the closing brace ahead. */
function isEntryOver(p: Parsing): boolean {
  if (takes(p, ',')) return true
  return p.text[p.at] === '\n' || p.text[p.at] === '}'
}
