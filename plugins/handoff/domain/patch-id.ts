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

/** The change of one file within a diff. */
export interface FilePatch {
  /** From the root of the repository. */
  readonly path: string
  /** Its identity, 12 hex digits; that of a binary file is what it holds afterwards. */
  readonly id: string
}

/** The changes of a diff file by file, as `git diff --full-index --no-renames` prints them. */
export function filePatchesOf(diff: string): readonly FilePatch[] {
  const parts = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '))
  return parts.map((part) => {
    const names = part.slice('diff --git '.length, part.indexOf('\n'))
    const blob = /^Binary files /m.test(part) ? (/^index .*\.\.([0-9a-f]+)/m.exec(part)?.[1] ?? '') : ''
    const id = createHash('sha256')
      .update(`${patchIdOf(part)}${blob}`)
      .digest('hex')
    return { path: unquoted(names.slice(0, names.length / 2)).replace('a/', ''), id: id.slice(0, 12) }
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
