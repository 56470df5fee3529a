/** `[label]:`, the label at most 999 characters and not blank. */
const LABEL = /\[(?![ \t\n]*\])((?:[^\\[\]]|\\[\s\S]){1,999})\]:/y
/** White space with at most one line end, as allowed before a destination. */
const GAP = /[ \t]*(?:\n[ \t]*)?/y
const DESTINATION = /<(?:[^<>\n\\]|\\.)*>|(?!<)[^\u0000-\u0020\u007f]+/y
/** White space separates a title from its destination. */
const TITLE =
  /(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)(?:"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'|\([^()\\]*(?:\\[\s\S][^()\\]*)*\))/y
const REST_OF_LINE = /[ \t]*(?:\n|$)/y
const MAX_LABEL_CHARS = 999 // CommonMark 4.7
const MAX_OPEN_PARENTHESES = 32 // as the parser of the owner page has it

/**
 * How many of a paragraph's first lines are link reference definitions (CommonMark 4.7): they are not text of it, so that
 * nothing else makes no heading of what underlines it. Linear in the length of the lines.
 */
export function countDefinitionLines(lines: readonly string[]): number {
  if (!lines[0]?.trimStart().startsWith('[')) return 0
  const text = lines.map((line) => line.trimStart()).join('\n')
  let end = 0
  for (let next = definitionEnd(text, 0); next !== undefined; next = definitionEnd(text, end)) end = next
  return end === text.length ? lines.length : text.slice(0, end).split('\n').length - 1
}

/** Where the line behind a definition that begins at `at` begins; undefined when none begins there. */
function definitionEnd(text: string, at: number): number | undefined {
  const label = matchAt(LABEL, text, at)
  if (label === undefined || label - at - '[]:'.length > MAX_LABEL_CHARS) return undefined
  const start = matchAt(GAP, text, label) ?? label
  const destination = matchAt(DESTINATION, text, start)
  if (destination === undefined || !isBalanced(text.slice(start, destination))) return undefined
  const title = matchAt(TITLE, text, destination)
  const behindTitle = title === undefined ? undefined : matchAt(REST_OF_LINE, text, title)
  // What looks like a title on the next line may be the text after the definition.
  return behindTitle ?? matchAt(REST_OF_LINE, text, destination)
}

/** Where a match that begins at `at` ends. */
function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function isBalanced(destination: string): boolean {
  if (destination.startsWith('<')) return true
  let open = 0
  for (const [mark] of destination.matchAll(/\\.|[()]/g)) {
    if (mark === '(') open += 1
    if (mark === ')') open -= 1
    if (open < 0 || open > MAX_OPEN_PARENTHESES) return false
  }
  return open === 0
}
