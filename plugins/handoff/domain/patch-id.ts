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
