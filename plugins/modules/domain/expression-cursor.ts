/** The position of the parser of expressions in a text. */
import type { Expression } from './expression.ts'
import { endOfBlockComment, endOfLine, isBlockComment, isLineComment, skipTrivia } from './source-text.ts'

/** Where the parser is. `isLineBound`: a line break ends the expression, as in an object. */
export interface Parsing {
  readonly text: string
  at: number
  depth: number
  /** What is nested deeper is not understood. */
  readonly maxDepth: number
  isLineBound: boolean
  /** Reads an expression here: templates hold expressions, and these templates. */
  readonly read: (p: Parsing) => Expression | undefined
}

/** Moves past what means nothing. */
export function skip(p: Parsing): void {
  if (!p.isLineBound) {
    p.at = skipTrivia(p.text, p.at)
    return
  }
  for (;;) {
    if (' \t\r'.includes(p.text[p.at] ?? 'x')) p.at += 1
    else if (isLineComment(p.text, p.at)) p.at = endOfLine(p.text, p.at)
    else if (isBlockComment(p.text, p.at)) p.at = endOfBlockComment(p.text, p.at)
    else return
  }
}

/** Moves past a sign or word if it is next. */
export function takes(p: Parsing, sign: string): boolean {
  skip(p)
  if (!p.text.startsWith(sign, p.at)) return false
  p.at += sign.length
  return true
}

const WORD = /[\p{L}_][\p{L}\p{N}_-]*/uy

export function takeWord(p: Parsing): string | undefined {
  skip(p)
  WORD.lastIndex = p.at
  const word = WORD.exec(p.text)?.[0]
  if (word !== undefined) p.at += word.length
  return word
}

/** Moves past a whole word. */
export function takesWord(p: Parsing, word: string): boolean {
  const from = p.at
  if (takeWord(p) === word) return true
  p.at = from
  return false
}

/** Reads with line breaks that mean nothing, as between brackets. */
export function acrossLines<T>(p: Parsing, read: () => T): T {
  const { isLineBound } = p
  p.isLineBound = false
  const value = read()
  p.isLineBound = isLineBound
  return value
}

/** `a, b in of`. */
export function readForHead(
  p: Parsing,
): { readonly names: readonly string[]; readonly of: Expression } | undefined {
  const names = [takeWord(p)]
  if (takes(p, ',')) names.push(takeWord(p))
  const of = takesWord(p, 'in') ? p.read(p) : undefined
  const known = names.filter((name) => name !== undefined)
  return of && known.length === names.length ? { names: known, of } : undefined
}
