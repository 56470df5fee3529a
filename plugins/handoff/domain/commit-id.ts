/** Commit ids as records and git write them. */

/** True for 7 to 64 hex digits. Only such a text may reach git as an argument. */
export function isCommitId(text: string): boolean {
  return /^[0-9a-f]{7,64}$/.test(text)
}

/**
 * The first commit of a history. `none`: a shallow clone, no commits, no git; `untold`: git took too long, and nothing may be
 * kept of that.
 */
export type Root = { readonly commit: string } | 'none' | 'untold'

/** The commit that an evidence reference names: hex, with or without `git:` before it. */
export function commitOf(ref: string): string | undefined {
  const id = ref.startsWith('git:') ? ref.slice('git:'.length) : ref
  return isCommitId(id) ? id : undefined
}

/** True if one id is a prefix of the other: records may hold abbreviated ids. */
export function sameCommit(a: string, b: string): boolean {
  return a.length >= 7 && b.length >= 7 && (a.startsWith(b) || b.startsWith(a))
}
