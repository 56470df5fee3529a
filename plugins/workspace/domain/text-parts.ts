import { firstMark, isBlank, next, OPEN, type State, splitLines } from './heading.ts'

/**
 * The text in parts of at least `chars` characters, cut before headings and behind blank lines, where a block begins at
 * the left edge and inside of nothing. What is in a part means the same without the others, except for definitions of links and notes.
 */
export function partsOf(text: string, chars: number): readonly string[] {
  const parts: string[] = []
  let from = 0
  let state: State = OPEN
  let isAfterBlank = false
  let isNearTag = false
  for (const line of splitLines(text)) {
    if (line.start - from >= chars && !isNearTag && beginsPart(line.text, state, isAfterBlank)) {
      parts.push(text.slice(from, line.start))
      from = line.start
    }
    state = next(state, line).state
    isAfterBlank = isBlank(line.text)
    // Up to the next blank line a parser may take what follows for HTML where the specification goes on with a paragraph.
    isNearTag = !isAfterBlank && (isNearTag || firstMark(line.text) === '<')
  }
  return [...parts, text.slice(from)]
}

function beginsPart(text: string, state: State, isAfterBlank: boolean): boolean {
  const { kind } = state
  // A heading at the left edge ends each container; lists that are parsed together take a parser quadratic time.
  if (HEADING_AT_LEFT_EDGE.test(text)) {
    if (kind === 'item' || kind === 'quote') return state.fence === undefined // its end is not that of a text
    return kind !== 'fence' && kind !== 'html'
  }
  return kind === 'open' && isAfterBlank && AT_LEFT_EDGE.test(text)
}

/** Not what may be a further item of a list; and a byte order mark has no width only where a text begins with it. */
const AT_LEFT_EDGE = /^[^ \t\d*+\-\ufeff]/
const HEADING_AT_LEFT_EDGE = /^#{1,6}[ \t]/
