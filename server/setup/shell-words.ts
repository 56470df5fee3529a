/** A command of a shell. Clients run hooks by `sh`, on Windows by `cmd` or PowerShell. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:@%+=-]+$/.test(word) ? word : quoted(word))).join(' ')
}

function quoted(word: string): string {
  if (process.platform === 'win32') return `"${word}"` // a file name there has no quotes
  return `'${word.replaceAll("'", "'\\''")}'`
}
