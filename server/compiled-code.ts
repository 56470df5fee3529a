import { createHash } from 'node:crypto'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import type { BuiltFiles, CompiledFile } from './built-files.ts'
import { BUILTIN_PLUGINS } from './builtin-plugins.ts'
import { type CodeCache, createCodeCache } from './platform/code-cache.ts'
import { makeFolderSync } from './platform/file-tree.ts'
import { isOwn, userCache } from './user-cache.ts'

/** Of Node 22.1 and later. */
const { enableCompileCache } = nodeModule as { enableCompileCache?(folder: string): unknown }

/** What loads the files of a build; not there where the program runs from its sources, or Node loads them. */
declare const builtFiles: BuiltFiles | undefined

/** A server that stays has started by then, and what a start sets of V8's flags is still set. */
const STARTED_MS = 5_000

/** To compile so many bytes takes a millisecond or more; less is not worth a write. */
const WORTH_WRITING = 16 * 1024
/** The code of the same functions differs by less from process to process. */
const SAME = 1024
/** So many times the end of a command looks whether it compiled what is not kept: that takes 10 ms or more. */
const LOOKS = 4
/** More commands than this are not told apart. */
const MAX_COMMANDS = 40
/** What is kept of `LOOKS`, beside the code of files, whose names are longer. */
const COMMANDS = 'commands'

/**
 * Keeps what V8 compiles of this program in the user's cache, for later starts: a fifth of a verb's time. Does nothing
 * where the program runs from its sources, or where others could have written the folder: what is in it runs.
 * `NODE_DISABLE_COMPILE_CACHE=1` turns it off. Errors: none.
 */
export function keepCompiledCode(
  env: Readonly<Record<string, string | undefined>>,
  argv: readonly string[],
): void {
  const keep = enableCompileCache ?? (env['NODE_DISABLE_COMPILE_CACHE'] ? undefined : keepIn)
  if (!keep || import.meta.url.endsWith('.ts')) return
  const folder = join(userCache(env), 'compiled')
  try {
    makeFolderSync(folder, 0o700)
    if (isOwn(folder)) keep(folder, commandOf(argv))
  } catch {
    // No folder can be made here: nothing is kept.
  }
}

/** What has verbs of its own. Behind another verb is what a person looks for: that is not written down. */
const HOST_NOUNS: readonly unknown[] = ['config', 'plugin', 'storage', 'token']

/** A noun of a plugin has its name; its other verbs have none behind them. */
function isNoun(word: string | undefined): boolean {
  return HOST_NOUNS.includes(word) || BUILTIN_PLUGINS.some(({ name }) => name === word)
}

/** The first words of a command line: a verb, or a noun and its verb. The events of a hook run code of their own. */
function commandOf(argv: readonly string[]): string {
  const end = argv.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
  const words = end < 0 ? argv : argv.slice(0, end)
  if (!isNoun(words[0])) return words[0] ?? ''
  return words.slice(0, words[1] === 'hook' ? 3 : 2).join(' ')
}

/**
 * As Node's own, for Node 20: uses what is kept there, and writes it when the process ends, or once it has started. A file
 * that is kept holds the functions that ran so far: a command that runs others adds them.
 */
function keepIn(folder: string, command: string): void {
  if (typeof builtFiles === 'undefined') return
  const flags = cachedDataVersionTag()
  const { build, folder: place } = builtFiles
  // Kept code names the file that it was compiled from, which a stack shows.
  const install = createHash('sha256').update(place).digest('hex').slice(0, 8)
  const key = [build, install, process.version, process.arch, flags.toString(16)].join('-')
  const cache = createCodeCache(folder, key)
  const files = builtFiles.useCode(cache.read)
  let known = 0
  const kept = new Map<string, number>()
  const write = function* (): Generator<void> {
    for (const file of files.slice(known)) kept.set(file.name, file.kept)
    const isNew = files.slice(known).some((file) => file.kept === 0)
    known = files.length
    if (cachedDataVersionTag() !== flags || !(isNew || takeLook(cache, command))) return
    const grown = yield* grownCode(files.slice(), kept)
    if (!isNew && grown.reduce((sum, { news }) => sum + news, 0) < WORTH_WRITING) return
    for (const { name, code } of grown) {
      if (writeCode(cache, name, code)) kept.set(name, code.length)
      yield
    }
    removeOldest(cache)
  }
  process.once('exit', () => {
    for (const _ of write());
  })
  setTimeout(() => inTurns(write()), STARTED_MS).unref()
}

interface GrownCode {
  readonly name: string
  readonly code: Buffer
  /** Bytes that are not kept. */
  readonly news: number
}

/** The code of files of which less is kept. */
function* grownCode(
  files: readonly CompiledFile[],
  kept: ReadonlyMap<string, number>,
): Generator<void, GrownCode[]> {
  const grown: GrownCode[] = []
  for (const { name, script } of files) {
    const code = script.createCachedData()
    const before = kept.get(name) ?? 0
    const news = code.length - before
    if (before === 0 || news > SAME) grown.push({ name, code, news })
    yield
  }
  return grown
}

/** A step at a time, between which the server answers. */
function inTurns(work: Generator<void>): void {
  if (!work.next().done) setImmediate(inTurns, work).unref()
}

/** Notes that a command looks for what is not kept. False if it did so often enough, or nothing can be written. */
function takeLook(cache: CodeCache, command: string): boolean {
  const looks = new Map<string, number>(parsed(cache.read(COMMANDS)))
  const taken = looks.get(command) ?? 0
  if (taken >= LOOKS || (taken === 0 && looks.size >= MAX_COMMANDS)) return false
  looks.set(command, taken + 1)
  return writeCode(cache, COMMANDS, Buffer.from(JSON.stringify([...looks])))
}

function parsed(commands: Buffer | undefined): readonly (readonly [string, number])[] {
  return commands ? JSON.parse(commands.toString('utf8')) : [] // as written: its digest fits
}

/** False where there is no room, or the folder is no longer ours: the next start compiles. */
function writeCode(cache: CodeCache, name: string, code: Buffer): boolean {
  try {
    cache.write(name, code)
    return true
  } catch {
    return false
  }
}

function removeOldest(cache: CodeCache): void {
  try {
    cache.removeOldest()
  } catch {
    // What stays is removed by a later start.
  }
}
