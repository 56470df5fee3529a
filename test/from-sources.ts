import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The words with which Node runs TypeScript of this repository, or of a copy, from any folder. */
export const FROM_SOURCES: readonly string[] = [
  '--expose-internals', // what typescript.mjs is quicker with
  '--import',
  pathToFileURL(join(import.meta.dirname, '../scripts/typescript.mjs')).href,
]
