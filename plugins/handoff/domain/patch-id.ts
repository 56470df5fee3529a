import { createHash } from 'node:crypto'

/**
 * Identity of a change as `git diff` prints it, without line numbers, blob ids and white space; undefined for no change.
 * The same change on another base has the same identity, as with `git patch-id`.
 */
export function patchIdOf(diff: string): string | undefined {
  const hash = createHash('sha256')
  let isEmpty = true
  for (const line of diff.split('\n')) {
    if (!/^(?:diff |---|\+\+\+|[-+ ]|new file|deleted file|Binary )/.test(line)) continue
    hash.update(`${line.replace(/\s+/g, '')}\n`)
    isEmpty = false
  }
  return isEmpty ? undefined : `sha256:${hash.digest('hex')}`
}

/** A record names so many files of a change: its commit, under another id, is looked for among those that changed them. */
const MAX_PATCH_PATHS = 5

/** The first files of a diff, from the root of the repository. */
export function patchPathsOf(diff: string): readonly string[] {
  return partsOf(diff)
    .slice(0, MAX_PATCH_PATHS)
    .map(({ path }) => path)
}

/** The paths as a record names them; undefined where it names none. */
export function patchPathsIn(value: unknown): readonly string[] | undefined {
  const listed = Array.isArray(value) ? value.slice(0, MAX_PATCH_PATHS) : []
  const paths = listed.filter((path) => typeof path === 'string' && path !== '' && !path.includes('\0'))
  return paths.length > 0 && paths.length === listed.length ? paths : undefined
}

/** The change of one file within a diff. */
export interface FilePatch {
  /** From the root of the repository. */
  readonly path: string
  /** Its identity, 12 hex digits; that of a binary file is what it holds afterwards. */
  readonly id: string
}

/** The changes of a diff file by file, as `git diff --full-index --no-renames` prints them. */
export function filePatchesOf(diff: string): readonly FilePatch[] {
  return partsOf(diff).map(({ path, text }) => {
    const blob = /^Binary files /m.test(text) ? (/^index .*\.\.([0-9a-f]+)/m.exec(text)?.[1] ?? '') : ''
    const id = createHash('sha256')
      .update(`${patchIdOf(text)}${blob}`)
      .digest('hex')
    return { path, id: id.slice(0, 12) }
  })
}

/** A diff file by file. */
export function partsOf(diff: string): readonly { readonly path: string; readonly text: string }[] {
  const parts = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '))
  return parts.map((text) => {
    const names = text.slice('diff --git '.length, text.indexOf('\n'))
    return { path: unquoted(names.slice(0, names.length / 2)).replace('a/', ''), text }
  })
}

/** A name as git prints it with `core.quotePath`: in quotes, with octal bytes and the escapes of C. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name
  const bytes = name.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
    const control = 'abtnvfr'.indexOf(code)
    if (control >= 0) return String.fromCharCode(7 + control)
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : code
  })
  return Buffer.from(bytes, 'latin1').toString()
}
