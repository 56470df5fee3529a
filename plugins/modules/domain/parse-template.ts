/** Parses strings and heredocs: text with `${…}` and with the directives `%{ if … }` and `%{ for … }`. */
import type { Expression } from './expression.ts'
import { acrossLines, type Parsing, readForHead, takes, takesWord } from './expression-cursor.ts'
import type { Heredoc } from './heredoc.ts'
import { unescapeQuoted } from './quoted.ts'

/** The string under the parser. `"${x}"` alone is `x`. */
export function readQuotedParts(p: Parsing): Expression | undefined {
  const from = p.at + 1
  p.at = from
  const parts = readParts(p, { end: '"', hasEscapes: true })
  if (parts?.ending !== 'end') return undefined
  p.at += 1
  if (!parts.isPlain) return unwrapped(parts)
  const plain = unescapeQuoted(p.text.slice(from, p.at - 1))
  return plain.kind === 'text'
    ? { kind: 'literal', value: plain.text.normalize('NFC') }
    : { kind: 'template', parts: [] }
}

/** The heredoc under the parser; it is always text. */
export function readHeredocParts(p: Parsing, heredoc: Heredoc): Expression | undefined {
  const start = p.text.indexOf('\n', p.at) + 1
  const inner: Parsing = { ...p, text: p.text.slice(0, start + heredoc.content.length), at: start }
  const parts = readParts(inner, { end: undefined, hasEscapes: false })
  if (parts?.ending !== 'end') return undefined
  p.at = heredoc.end
  return { kind: 'template', parts: parts.parts }
}

/** A text that is a template as a whole. */
export function readTextParts(p: Parsing): Expression | undefined {
  const parts = readParts(p, { end: undefined, hasEscapes: false })
  if (parts?.ending !== 'end') return undefined
  return parts.isPlain ? { kind: 'literal', value: p.text } : unwrapped(parts)
}

interface Ends {
  /** Undefined: the end of the text. */
  readonly end: '"' | undefined
  readonly hasEscapes: boolean
}

interface Parts {
  readonly parts: readonly Expression[]
  readonly isPlain: boolean
  /** Whether there is text beside the parts. */
  readonly hasText: boolean
  /** What ended them: the end, or the word of a directive. */
  readonly ending: 'end' | 'else' | 'endif' | 'endfor'
}

function unwrapped({ parts, hasText }: Parts): Expression {
  const [only] = parts
  const isOne = only !== undefined && parts.length === 1 && !hasText && !isOfDirective(only)
  return isOne ? only : { kind: 'template', parts }
}

/** A directive gives a text, and is kept as a template. */
function isOfDirective(part: Expression): boolean {
  return part.kind === 'template' && part.parts.length > 0 && part.parts[0]?.kind === 'operation'
}

function readParts(p: Parsing, ends: Ends): Parts | undefined {
  const parts: Expression[] = []
  let hasText = false
  let isPlain = true
  for (;;) {
    const char = p.text[p.at]
    if (char === ends.end) return { parts, isPlain, hasText, ending: 'end' }
    if (char === undefined || (char === '\n' && ends.end === '"')) return undefined
    if (!isMark(p)) {
      hasText = true
      p.at += lengthOfText(p, ends)
      continue
    }
    isPlain = false
    const part = readPart(p, ends)
    if (typeof part === 'string') return { parts, isPlain, hasText, ending: part }
    if (part === undefined) return undefined
    parts.push(part)
  }
}

function isMark({ text, at }: Parsing): boolean {
  return (text[at] === '$' || text[at] === '%') && text[at + 1] === '{'
}

function readPart(p: Parsing, ends: Ends): ReturnType<typeof readDirective> {
  const isDirective = p.text[p.at] === '%'
  p.at += p.text[p.at + 2] === '~' ? 3 : 2
  return isDirective ? readDirective(p, ends) : readInterpolation(p)
}

/** `$${`, `%%{` and a character behind a backslash are text. */
function lengthOfText({ text, at }: Parsing, { hasEscapes }: Ends): number {
  if (text[at] === '\\' && hasEscapes) return 2
  const isDoubled =
    (text[at] === '$' || text[at] === '%') && text[at + 1] === text[at] && text[at + 2] === '{'
  return isDoubled ? 3 : 1
}

function readInterpolation(p: Parsing): Expression | undefined {
  const value = acrossLines(p, () => p.read(p))
  return value && isClosed(p) ? value : undefined
}

function isClosed(p: Parsing): boolean {
  return acrossLines(p, () => {
    takes(p, '~')
    return takes(p, '}')
  })
}

/** A whole directive, or the word of one that ends or parts another. */
function readDirective(p: Parsing, ends: Ends): Expression | 'else' | 'endif' | 'endfor' | undefined {
  for (const word of ['else', 'endif', 'endfor'] as const)
    if (acrossLines(p, () => takesWord(p, word))) return isClosed(p) ? word : undefined
  if (acrossLines(p, () => takesWord(p, 'if'))) return readIf(p, ends)
  if (!acrossLines(p, () => takesWord(p, 'for'))) return undefined
  const head = acrossLines(p, () => readForHead(p))
  if (head === undefined || !isClosed(p)) return undefined
  const body = readInner(p, ends)
  if (body?.ending !== 'endfor') return undefined
  const value: Expression = { kind: 'template', parts: body.parts }
  return directive({ kind: 'for', ...head, value })
}

function readIf(p: Parsing, ends: Ends): Expression | undefined {
  const condition = readInterpolation(p)
  const yes = condition && readInner(p, ends)
  const no = yes?.ending === 'else' ? readInner(p, ends) : yes
  if (condition === undefined || yes === undefined || no?.ending !== 'endif') return undefined
  const parts = yes === no ? yes.parts : [...yes.parts, ...no.parts]
  return directive({ kind: 'list', items: [condition, ...parts] })
}

function directive(of: Expression): Expression {
  return { kind: 'template', parts: [{ kind: 'operation', sign: '%', of: [of] }] }
}

const MAX_DIRECTIVES = 100

function readInner(p: Parsing, ends: Ends): Parts | undefined {
  if (p.depth >= MAX_DIRECTIVES) return undefined
  p.depth += 1
  const parts = readParts(p, ends)
  p.depth -= 1
  return parts
}
