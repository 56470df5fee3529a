import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the absolute folder of this package: the nearest parent whose package.json has our name. */
export function packageRoot(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); at !== dirname(at); at = dirname(at)) {
    if (nameIn(join(at, 'package.json')) === 'satchel') return at
  }
  throw new TypeError('this file does not lie inside a satchel package')
}

/** Returns the absolute folder of a dependency; undefined if it is not installed. */
export function dependencyRoot(name: string): string | undefined {
  const folders = createRequire(join(packageRoot(), 'package.json')).resolve.paths(name) ?? []
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')))
}

function nameIn(path: string): unknown {
  if (!existsSync(path)) return undefined
  const content: { name?: unknown } = JSON.parse(readFileSync(path, 'utf8'))
  return content.name
}
