/** The file that an entry is about: `path - description`. */
export function fileAtStart(entry: string): Record<string, unknown> | undefined {
  const [, path = '', description] = /^`?([^\s`]+)`?(?:\s*(?:[-:\u2013\u2014]\s*)?(.+))?$/s.exec(entry) ?? []
  return isPath(path) || (description === undefined && /^[\w.-]+$/.test(path))
    ? { path, description: description ?? null }
    : undefined
}

/** The file that an entry names, as an artifact: at its start, or the first path in its sentence. */
export function fileOf(entry: string): Record<string, unknown> | undefined {
  const atStart = fileAtStart(entry)
  if (atStart) return atStart
  const named = entry.match(/`[^`\s]+`|[^\s`*()[\],;]+/g) ?? []
  const found = named.map((word) => word.replaceAll('`', '').replace(LINES, '')).find(isPath)
  return found === undefined ? undefined : { path: found, description: entry }
}

/** Lines or a name in a file, and the end of a sentence. */
const LINES = /(?::\d[\d,-]*|#L\d.*|::.*|[:.])$/

/** A path within the project: of a folder and a name, or a name with an extension. No address, no place elsewhere. */
function isPath(word: string): boolean {
  if (/^(?:[/~\\]|\.\.|[a-z][\w+.-]*:)/i.test(word) || LINES.test(word)) return false
  return /[\w\]})*]\/|^\.?[\w.-]*\w\.[a-z]\w{0,9}$|^\.[a-z][\w.-]+$/i.test(word)
}
