import { readFileSync, writeFileSync } from 'node:fs'

/** A Markdown table; cells may hold any text of one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}

/**
 * Replaces the text between `<!-- generated:name -->` and `<!-- /generated:name -->` in the file at `path`.
 * Errors: a file without the markers.
 */
export function replaceBetween(path: string, name: string, text: string): void {
  const [open, close] = [`<!-- generated:${name} -->`, `<!-- /generated:${name} -->`]
  const page = readFileSync(path, 'utf8')
  const from = page.indexOf(open)
  const to = page.indexOf(close)
  if (from < 0 || to < from) throw new Error(`${path} has no markers for "${name}"`)
  writeFileSync(path, `${page.slice(0, from + open.length)}\n${text}${page.slice(to)}`)
}
