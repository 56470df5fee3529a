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
