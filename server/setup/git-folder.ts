import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The folder of the repository's configuration, that of the main work tree for a linked one; where it would be if there is none. */
export function gitFolder(projectRoot: string): string {
  for (let at = resolve(projectRoot); ; at = dirname(at)) {
    const path = join(at, '.git')
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return path
    if (stats) return commonFolder(resolve(at, firstLine(path).replace(/^gitdir: /, '')))
    if (at === dirname(at)) return join(projectRoot, '.git')
  }
}

function commonFolder(folder: string): string {
  const file = join(folder, 'commondir')
  return existsSync(file) ? resolve(folder, firstLine(file)) : folder
}

function firstLine(path: string): string {
  return readFileSync(path, 'utf8').split(/\r?\n/)[0] ?? ''
}
