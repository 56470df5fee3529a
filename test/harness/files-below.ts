import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The files below a folder by their path in it, sorted; each byte of their content is one character. None where there is no folder. */
export function filesBelow(folder: string): ReadonlyMap<string, string> {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.sort().map((path) => [relative(folder, path), readFileSync(path, 'latin1')]))
}
