import { refusals } from '../reasons.ts'

const MAX_REF_BYTES = 255 // modules design 2.4

/**
 * Whether git would accept `refs/heads/<name>`: the rules of `git check-ref-format`.
 * A name that starts with `-` is legal for a remote; `parseBranch` refuses it from a caller.
 */
export function isRefName(name: string): boolean {
  if (name === '' || name === '@' || Buffer.byteLength(name) > MAX_REF_BYTES) return false
  if (/[\u0000- \u007f~^:?*[\\\ufffd]|\.\.|@\{|\/\/|[/.]$|^\//.test(name)) return false
  return !name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock') || part === '')
}

/** A ref a caller asked for. `full` is set where the caller wrote `refs/heads/…` or `refs/tags/…`. */
export interface AskedRef {
  /** As typed: the `ref` of the summary. */
  readonly name: string
  readonly full?: string
}

/** Errors: `invalid`/`ref_refused` for a name that git would refuse or could read as an option. */
export function parseAskedRef(typed: string): AskedRef {
  const full = /^refs\/(?:heads|tags)\/(.+)$/.exec(typed)?.[1]
  const name = full ?? typed
  if (name.startsWith('-') || !isRefName(name) || typed === 'HEAD' || typed === 'FETCH_HEAD') {
    throw refusals.ref_refused({ name: JSON.stringify(typed.slice(0, 80)) })
  }
  if (full === undefined && typed.startsWith('refs/')) {
    throw refusals.full_ref_refused()
  }
  return full === undefined ? { name } : { name: typed, full: typed }
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/** Whether a ref is a whole commit id. */
export function isCommitId(ref: string): boolean {
  return COMMIT.test(ref)
}
