import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What Node is told, from any folder, so that it runs the TypeScript of this repository. */
export const TYPESCRIPT: readonly string[] = [
  '--import',
  pathToFileURL(join(import.meta.dirname, '../scripts/typescript.mjs')).href,
]
