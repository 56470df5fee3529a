import { posix } from 'node:path'
import { refusals } from '../reasons.ts'

/** A directory inside a repository, normalised. Errors: `invalid`/`path_refused`. */
export function parseDirectory(typed: string): string {
  const plain = posix.normalize(typed === '' ? '.' : typed).replace(/(?<=.)\/+$/, '')
  const bad =
    typed.length > 1024 ||
    /[\p{Cc}\\]/u.test(typed) ||
    typed.startsWith('/') ||
    typed.split('/').includes('..') ||
    plain.split('/').includes('..')
  if (bad) {
    throw refusals.path_refused()
  }
  return plain
}
