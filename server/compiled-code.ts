import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import type { BuiltFiles, CompiledFile } from './built-files.ts'
import { type CodeCache, createCodeCache } from './platform/code-cache.ts'
import { makeFolderSync } from './platform/file-tree.ts'
import { isOwn, userCache } from './user-cache.ts'

/** Of Node 22.1 and later. */
const { enableCompileCache } = nodeModule as { enableCompileCache?(folder: string): unknown }

/** What loads the files of a build; not there where the program runs from its sources, or Node loads them. */
declare const builtFiles: BuiltFiles | undefined

/** A server that stays has started by then, and what a start sets of V8's flags is still set. */
const STARTED_MS = 5_000

/**
 * Keeps what V8 compiles of this program in the user's cache, for later starts: a fifth of a verb's time. Does nothing
 * where the program runs from its sources, or where others could have written the folder: what is in it runs.
 * `NODE_DISABLE_COMPILE_CACHE=1` turns it off. Errors: none.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): void {
  const keep = enableCompileCache ?? (env['NODE_DISABLE_COMPILE_CACHE'] ? undefined : keepIn)
  if (!keep || import.meta.url.endsWith('.ts')) return
  const folder = join(userCache(env), 'compiled')
  try {
    makeFolderSync(folder, 0o700)
    if (isOwn(folder)) keep(folder)
  } catch {
    // No folder can be made here: nothing is kept.
  }
}

/** As Node's own, for Node 20: uses what is kept there, and writes it when the process ends, or once it has started. */
function keepIn(folder: string): void {
  if (typeof builtFiles === 'undefined') return
  const flags = cachedDataVersionTag()
  const key = [builtFiles.build, process.version, process.arch, flags.toString(16)].join('-')
  const cache = createCodeCache(folder, key)
  const files = builtFiles.useCode(cache.read)
  let known = 0
  // What a start did not find, it makes for all that it loaded: a file that is kept holds the functions that ran so far.
  const write = function* (): Generator<void> {
    const isNew = files.slice(known).some(({ isKept }) => !isKept)
    known = files.length
    if (!isNew || cachedDataVersionTag() !== flags) return
    for (const file of [...files]) yield writeCode(cache, file)
    removeOldest(cache)
  }
  process.once('exit', () => {
    for (const _ of write());
  })
  setTimeout(() => inTurns(write()), STARTED_MS).unref()
}

/** A step at a time, between which the server answers. */
function inTurns(work: Generator<void>): void {
  if (!work.next().done) setImmediate(inTurns, work).unref()
}

function writeCode(cache: CodeCache, { name, script }: CompiledFile): void {
  try {
    cache.write(name, script.createCachedData())
  } catch {
    // No room, or no longer ours: the next start compiles.
  }
}

function removeOldest(cache: CodeCache): void {
  try {
    cache.removeOldest()
  } catch {
    // What stays is removed by a later start.
  }
}
