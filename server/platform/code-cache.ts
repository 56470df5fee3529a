import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** How the name of a cache begins, beside those of Node in the same folder. */
const PREFIX = 'satchel-'
/** Caches of one user: builds and versions of Node that take turns, each with and without the flags of a server. */
const MAX_CACHES = 8
const DIGEST_BYTES = 32

/** What V8 made of files of code, kept in a folder where only this user can write: it runs. */
export interface CodeCache {
  /** What was written under this name; undefined if there is nothing, or not that. */
  read(name: string): Buffer | undefined
  /** Replaces what has this name, before anything may wait. Errors: the file system's own. */
  write(name: string, data: Buffer): void
  /** Removes the caches that were written to longest ago, if there are many. Errors: the file system's own. */
  removeOldest(): void
}

/** The cache for `key` below `parent`; neither is made before something is written. */
export function createCodeCache(parent: string, key: string): CodeCache {
  const folder = join(parent, `${PREFIX}${key}`)
  const pathOf = (name: string): string => join(folder, `${name}.code`)
  return {
    read(name) {
      const file = readIfAny(pathOf(name))
      const data = file?.subarray(DIGEST_BYTES)
      // V8 does not look for damage, and what is damaged ends the process.
      return data && digestOf(name, data).equals(file?.subarray(0, DIGEST_BYTES) ?? data) ? data : undefined
    },
    write(name, data) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const temp = join(folder, `.tmp-${process.pid}-${name}`)
      try {
        writeFileSync(temp, Buffer.concat([digestOf(name, data), data]), { mode: 0o600 })
        renameSync(temp, pathOf(name))
      } catch (thrown) {
        rmSync(temp, { force: true })
        throw thrown
      }
    },
    removeOldest: () => removeOldest(dirname(folder), basename(folder)),
  }
}

function digestOf(name: string, data: Buffer): Buffer {
  return createHash('sha256').update(name).update('\n').update(data).digest()
}

function readIfAny(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function removeOldest(parent: string, own: string): void {
  const others = readdirSync(parent).filter((name) => name.startsWith(PREFIX) && name !== own)
  const caches = others
    .map((name) => join(parent, name))
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of caches.slice(MAX_CACHES - 1)) rmSync(path, { recursive: true, force: true })
}
