/** A JSON text without the blanks between its tokens; numbers, escapes and the order of names stay as they are. */
export function compactJson(text: string): string {
  let compact = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 34) {
      for (i++; i < text.length && text.charCodeAt(i) !== 34; i++) if (text.charCodeAt(i) === 92) i++
    } else if (char === 32 || char === 9 || char === 10 || char === 13 || char === 0xfeff) {
      compact += text.slice(from, i)
      from = i + 1
    }
  }
  return compact + text.slice(from)
}
