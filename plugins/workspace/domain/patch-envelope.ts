/** The changes that a patch of Codex's `apply_patch` makes to one file. */
export interface FilePatch {
  readonly path: string
  /** The file's text after them; undefined where they do not fit, or the file is removed or renamed. */
  apply(text: string): string | undefined
}

interface Hunk {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const END = '*** End Patch'

/** The files of a patch between `*** Begin Patch` and `*** End Patch`; none for any other text. */
export function filePatches(patch: string): readonly FilePatch[] {
  const lines = patch.split(/\r?\n/)
  const begin = lines.indexOf('*** Begin Patch')
  const end = lines.lastIndexOf(END)
  if (begin < 0 || end < begin) return []
  const starts = [...lines.keys()].filter((at) => at > begin && at < end && FILE.test(lines[at] ?? ''))
  return starts.map((start, at) => filePatch(lines.slice(start, starts[at + 1] ?? end)))
}

function filePatch([head = '', ...body]: readonly string[]): FilePatch {
  const [, kind, path = ''] = FILE.exec(head) ?? []
  if (kind === 'Add') return { path, apply: () => `${body.map((line) => line.slice(1)).join('\n')}\n` }
  const isMoved = body.some((line) => line.startsWith('*** Move to:'))
  const hunks = hunksOf(body)
  const isUpdate = kind === 'Update' && !isMoved && hunks.length > 0
  return { path, apply: (text) => (isUpdate ? withHunks(text, hunks) : undefined) }
}

/** `@@` begins a hunk and may name a line before it, which a hunk that occurs once does not need. */
function hunksOf(body: readonly string[]): readonly Hunk[] {
  const parts: string[][] = [[]]
  for (const line of body) {
    if (line.startsWith('@@')) parts.push([])
    else if (!line.startsWith('*** ')) parts.at(-1)?.push(line)
  }
  return parts.filter((part) => part.length > 0).map(hunkOf)
}

function hunkOf(part: readonly string[]): Hunk {
  const side = (mark: string): readonly string[] =>
    part
      .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(mark))
      .map((line) => line.slice(1))
  return { before: side('-'), after: side('+') }
}

function withHunks(text: string, hunks: readonly Hunk[]): string | undefined {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  let lines: readonly string[] | undefined = text.split(/\r?\n/)
  for (const hunk of hunks) lines = lines && withHunk(lines, hunk)
  return lines?.join(eol)
}

/** Undefined unless the lines before the change occur exactly once. */
function withHunk(lines: readonly string[], { before, after }: Hunk): readonly string[] | undefined {
  if (before.length === 0) return undefined
  const fits = (at: number): boolean => before.every((line, offset) => lines[at + offset] === line)
  const places = [...lines.keys()].filter(fits)
  const [at] = places
  if (places.length !== 1 || at === undefined) return undefined
  return [...lines.slice(0, at), ...after, ...lines.slice(at + before.length)]
}
