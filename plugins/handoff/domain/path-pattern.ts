import { matchesGlob } from '../../../server/plugin.ts'

/** True for an entry that may name files: one word, and no URL. */
export function mayBePath(entry: string): boolean {
  return entry !== '' && !/\s/.test(entry) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)
}

/** True for an entry that names files in any project: it also has a slash, an extension or a wildcard. */
export function looksLikePath(entry: string): boolean {
  return mayBePath(entry) && /[\\/*?]|\.[A-Za-z0-9]+$/.test(entry)
}

/**
 * True if a path matches the pattern or is below the folder that the pattern names. Git names a submodule, or a folder of
 * new files, in place of what is in it: such a path above the pattern counts, too.
 */
export function inScope(pattern: string, path: string): boolean {
  const wanted = withSlashes(pattern)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  const given = path.replace(/^\.\//, '').split('/')
  if (matchesGlob(wanted, given)) return true
  // A folder includes everything below it.
  if (matchesGlob([...wanted, '**'], given)) return true
  const above = given.filter((part) => part !== '')
  const start = wanted.slice(0, above.length)
  if (above.length >= wanted.length) return false
  return start.join('/') === above.join('/') || (path.endsWith('/') && matchesGlob(start, above))
}

/** A path as a session on Windows may have written it, as git and other platforms write it. */
export function withSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

/** Files that usually hold secrets: `.env`, `.env.local`, keys, credentials. */
export function isSensitivePath(path: string): boolean {
  const name = path.split(/[/\\]/).at(-1) ?? ''
  return /^\.env(?:\.|$)|\.(?:pem|key|p12|pfx)$|^id_(?:rsa|ed25519|ecdsa)$|^\.netrc$|^credentials/i.test(name)
}
