import {
  CST,
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from 'yaml'

/** Deepest nesting that is parsed: the parser recurses. */
const MAX_DEPTH = 100
/** Most scalars and signs of structure that are parsed. */
const MAX_PARTS = 20_000

/** A parsed document, or the first problem with its place, from 1. */
export type ParsedYaml =
  | { readonly kind: 'document'; readonly document: Document; readonly lines: LineCounter }
  | { readonly kind: 'problem'; readonly message: string; readonly line: number; readonly column: number }

/**
 * Reads one YAML document in the core schema in linear time. Depth and size are counted before it is parsed. A repeated
 * key and a warning of the parser, such as an unknown tag, are problems too.
 */
export function parseYaml(text: string): ParsedYaml {
  const excess = excessOfYaml(text)
  if (excess) return { kind: 'problem', ...excess }
  const lines = new LineCounter()
  // The parser's own search for repeated keys is quadratic.
  const document = parseDocument(text, {
    schema: 'core',
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
  })
  const [found] = [...document.errors, ...document.warnings]
  const problem = found ? { at: found.pos[0], message: yamlFault(found) } : findRepeatedKey(document)
  if (problem === undefined) return { kind: 'document', document, lines }
  const { line, col } = lines.linePos(problem.at)
  return { kind: 'problem', message: problem.message, line, column: col }
}

/** What is wrong, without its place: the parser was asked for no excerpt. */
export function yamlFault({ code, message }: YAMLError): string {
  return code === 'MULTIPLE_DOCS' ? 'More than one document is in it' : (message.split('\n')[0] ?? message)
}

const OPENS: readonly unknown[] = ['flow-map-start', 'flow-seq-start']
const CLOSES: readonly unknown[] = ['flow-map-end', 'flow-seq-end']
const INDICATORS: readonly unknown[] = ['seq-item-ind', 'explicit-key-ind', 'map-value-ind']
/** Marks of the lexer, which have no width. `scalar` precedes the text of a plain scalar. */
const MARKS: readonly unknown[] = ['doc-mode', 'flow-error-end', 'scalar', 'byte-order-mark']
const FILLS: readonly unknown[] = ['space', 'comment', 'newline']

/**
 * Counts with the lexer, which neither recurses nor builds anything. A block is as deep as there are columns at which
 * its open lines begin, and a value after an indicator begins one of its own.
 */
export function excessOfYaml(text: string) {
  const depth = createDepth()
  let parts = 0
  let line = 1
  let column = 0
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token)
    if (MARKS.includes(type)) continue
    if (!FILLS.includes(type)) {
      parts += 1
      const place = { line, column: column + 1 }
      if (depth.at(type, column) > MAX_DEPTH)
        return { message: `it nests deeper than ${MAX_DEPTH} levels`, ...place }
      if (parts > MAX_PARTS) return { message: `it has more than ${MAX_PARTS} parts`, ...place }
    }
    const lastBreak = token.lastIndexOf('\n')
    column = lastBreak < 0 ? column + token.length : token.length - lastBreak - 1
    if (lastBreak < 0) continue
    line += counted(token)
    depth.newLine()
  }
  return undefined
}

/** Follows the nesting: `at` takes each token of the structure with its column and returns the depth there. */
function createDepth() {
  const columns: number[] = []
  let flow = 0
  let begins = true
  return {
    newLine(): void {
      begins = true
    },
    at(type: string | null, column: number): number {
      if (OPENS.includes(type)) flow += 1
      else if (CLOSES.includes(type)) flow = Math.max(0, flow - 1)
      if (begins && flow === 0) enter(columns, column)
      begins = INDICATORS.includes(type)
      return columns.length + flow
    },
  }
}

function enter(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) > column) columns.pop()
  if (columns.at(-1) !== column) columns.push(column)
}

function counted(token: string): number {
  let breaks = 0
  for (let at = token.indexOf('\n'); at >= 0; at = token.indexOf('\n', at + 1)) breaks += 1
  return breaks
}

interface Repeated {
  readonly at: number
  readonly message: string
}

function findRepeatedKey(document: Document): Repeated | undefined {
  const open: unknown[] = [document.contents]
  while (open.length > 0) {
    const node = open.pop()
    if (!isCollection(node)) continue
    const repeated = isMap(node) ? repeatedIn(node) : undefined
    if (repeated) return repeated
    for (const item of node.items) open.push(...(isPair(item) ? [item.key, item.value] : [item]))
  }
  return undefined
}

function repeatedIn({ items }: YAMLMap): Repeated | undefined {
  const seen = new Set<unknown>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    if (seen.has(key.value)) return { at: key.range?.[0] ?? 0, message: 'Map keys must be unique' }
    seen.add(key.value)
  }
  return undefined
}
