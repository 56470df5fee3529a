import { type ConfigFormat, ended, lineBreakOf } from './config-format.ts'

/** A file of lines `key = value` or `key=value`, as git reads: the value of the text is `{ lines: { key: { value } } }`. */
export const linesFormat: ConfigFormat = {
  read: (text) => {
    const lines = text.split(/\r?\n/).flatMap((line) => {
      const key = keyOf(line)
      return key === undefined ? [] : [[key, { value: line.slice(line.indexOf('=') + 1).trim() }] as const]
    })
    return lines.length === 0 ? undefined : { lines: Object.fromEntries(lines) }
  },
  put(text, [, key = ''], value) {
    const { value: wanted } = value as { readonly value: string } // of the plans
    const lineBreak = lineBreakOf(text)
    const spaced = String(key).startsWith('[') ? ' = ' : '='
    return `${ended(linesFormat.take(text, ['lines', key]), lineBreak)}${key}${spaced}${wanted}${lineBreak}`
  },
  take: (text, [, key]) =>
    text
      .split(/(?<=\n)/)
      .filter((line) => keyOf(line) !== key)
      .join(''),
}

function keyOf(line: string): string | undefined {
  const at = line.indexOf('=')
  return at === -1 || /^\s*[#;]/.test(line) ? undefined : line.slice(0, at).trim()
}
