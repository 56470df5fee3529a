/** The line end of a text that has only one kind; undefined for a mixed text, and for one line. */
export function soleLineEnd(text: string): '\n' | '\r\n' | undefined {
  if (!text.includes('\r\n')) return text.includes('\n') ? '\n' : undefined
  return /(?:^|[^\r])\n/.test(text) ? undefined : '\r\n'
}

/** `text` with the line ends of `document`, where that has only one kind: models send LF into files with CRLF. */
export function withLineEndsOf(document: string, text: string): string {
  const end = soleLineEnd(document)
  if (end === undefined || !text.includes('\n') || soleLineEnd(text) === end) return text
  return text.replace(/\r?\n/g, end)
}

/**
 * `text` with the line ends of the text that it replaces, also where that has both kinds: a line that is in both keeps its
 * own, a new one has that of the line above it. A text that has CRLF itself is left as it is.
 */
export function withLineEndsLike(replaced: string, text: string): string {
  if (soleLineEnd(replaced) !== undefined) return withLineEndsOf(replaced, text)
  if (!replaced.includes('\n') || text.includes('\r\n')) return text
  const before = linesOf(replaced)
  const after = text.split('\n')
  const start = sameAtStart(before, after)
  const tail = sameAtStart(before.slice(start).reverse(), after.slice(start).reverse())
  const known = endsByLine(before.slice(start, before.length - tail))
  const shift = before.length - after.length
  let end: LineEnd = before[0]?.end || '\n'
  return after
    .map((line, at) => {
      if (at === after.length - 1) return line
      const same = at < start ? before[at]?.end : at >= after.length - tail && before[at + shift]?.end
      end = same || known.get(line) || end
      return line + end
    })
    .join('')
}

type LineEnd = '\n' | '\r\n'

interface Line {
  readonly text: string
  /** Empty for what follows the last line end. */
  readonly end: LineEnd | ''
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').map((line, at, all): Line => {
    if (at === all.length - 1) return { text: line, end: '' }
    return line.endsWith('\r') ? { text: line.slice(0, -1), end: '\r\n' } : { text: line, end: '\n' }
  })
}

function sameAtStart(before: readonly Line[], after: readonly string[]): number {
  const at = after.findIndex((line, index) => before[index]?.text !== line)
  return at < 0 ? after.length : at
}

/** The end of each line; undefined for one that occurs with both. */
function endsByLine(lines: readonly Line[]): ReadonlyMap<string, LineEnd | undefined> {
  const ends = new Map<string, LineEnd | undefined>()
  for (const { text, end } of lines) {
    if (end !== '') ends.set(text, ends.has(text) && ends.get(text) !== end ? undefined : end)
  }
  return ends
}

/** The place in `text` of a place in the same text whose line ends are LF. */
export function placeBeforeLf(text: string, at: number): number {
  let removed = 0
  for (let from = 0; ; ) {
    const crlf = text.indexOf('\r\n', from)
    if (crlf < 0 || crlf - removed >= at) return at + removed
    removed += 1
    from = crlf + 2
  }
}

const BYTE_ORDER_MARK = '\ufeff'

/** `text` with the byte order mark of the text that it replaces, which models and people do not see. */
export function withMarkOf(replaced: string, text: string): string {
  const isLost = replaced.startsWith(BYTE_ORDER_MARK) && !text.startsWith(BYTE_ORDER_MARK)
  return isLost ? BYTE_ORDER_MARK + text : text
}
