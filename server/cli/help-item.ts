/** Help is laid out for no fewer and no more columns than these. */
const HELP_COLUMNS = { min: 40, max: 200 } as const
/** Below this many columns beside its term a text goes under it. */
const TEXT_COLUMNS_MIN = 24
const UNDER_INDENT = 6

/** The columns of a help text on a terminal that has `columns`. */
export function helpColumns(columns: number): number {
  return Math.min(Math.max(columns, HELP_COLUMNS.min), HELP_COLUMNS.max)
}

/** One row of a help text: a term, and its text beside it or under it, in at most `columns` columns where words allow. */
export function helpItem(term: string, termColumns: number, text: string, columns: number): string {
  const beside = columns - termColumns - 4
  const indent = beside < TEXT_COLUMNS_MIN ? UNDER_INDENT : termColumns + 4
  const lines = wrapWords(text, columns - indent)
  const margin = ' '.repeat(indent)
  if (text === '') return `  ${term}`
  if (indent === UNDER_INDENT) return [`  ${term}`, ...lines.map((line) => margin + line)].join('\n')
  return `  ${term.padEnd(termColumns)}  ${lines.join(`\n${margin}`)}`
}

/** A usage without the word `Usage:` before its first row; the rows below begin under it. */
export function usageRows(usage: string, columns: number): string {
  const margin = ' '.repeat('Usage: '.length)
  return wrapWords(usage, columns - margin.length).join(`\n${margin}`)
}

/** The lines of a text of words. A longer word is cut after a bar or a comma of it, and else has a line of its own. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').flatMap((each) => partsOf(each, columns))) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function partsOf(word: string, columns: number): readonly string[] {
  if (word.length <= columns) return [word]
  const parts: string[] = []
  for (const part of word.split(/(?<=[|,])/)) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + part.length <= columns) parts[parts.length - 1] = last + part
    else parts.push(part)
  }
  return parts
}
