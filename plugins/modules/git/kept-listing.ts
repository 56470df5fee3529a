/** What git said of the refs of a repository on this machine, kept for as long as nothing of them was touched. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, realDisk, replaceFile, systemCode } from '../../../server/plugin.ts'

/** Part of every mark: another way to look or to write makes what was kept another. */
const FORMAT = '1'
/** More files than this are looked at by git alone. */
const MAX_FILES = 500
/** A change within this time before a look could be followed by another with the same times. */
const SETTLED_MS = 2000

/** Where the listing of a repository on this machine is kept until its refs change. */
export interface KeptPlace {
  readonly file: string
  now(): Date
}

export interface KeptListing {
  /** Of the repository. */
  readonly path: string
  /** Where it is kept: the mark, a line break, and the words of git. */
  readonly file: string
  readonly now: number
}

/**
 * What `ask` gave when the refs of the repository were last listed, if none of the files that tell them was written,
 * replaced or removed since; else what it gives now. Errors: those of `ask`.
 */
export async function keptListing(
  { path, file, now }: KeptListing,
  ask: () => Promise<string>,
): Promise<string> {
  const state = await refsState(path)
  if (state === undefined) return await ask()
  const kept = readKept(file)
  if (kept?.startsWith(`${state.mark}\n`)) return kept.slice(state.mark.length + 1)
  const said = await ask()
  if (state.changedMs < now - SETTLED_MS) await keep(file, `${state.mark}\n${said}`)
  return said
}

interface RefsState {
  /** Of the names, sizes, times and identities of all files that tell the refs. */
  readonly mark: string
  readonly changedMs: number
}

/** Undefined where the refs do not lie in plain files and folders of the repository itself. Exported for tests. */
export async function refsState(path: string): Promise<RefsState | undefined> {
  try {
    const home = gitFolder(path)
    if (home === undefined) return undefined
    const files = ['', 'HEAD', 'config', 'packed-refs', 'refs', ...filesBelow(home, 'refs')]
    const stamps = await Promise.all(files.map((name) => realDisk.stamp(join(home, name))))
    const hash = createHash('sha256').update(FORMAT)
    let newest = 0n
    for (const [at, stamp = ''] of stamps.entries()) {
      hash.update(`\0${files[at]}\0${at === 0 ? identityOf(stamp) : stamp}`)
      const changed = BigInt(at === 0 ? 0 : (stamp.split(' ')[2] ?? 0))
      if (changed > newest) newest = changed
    }
    return { mark: hash.digest('hex'), changedMs: Number(newest / 1_000_000n) }
  } catch {
    return undefined // git says what is wrong with it
  }
}

/** The folder's own times change with every object folder and lock of git; that it is another one counts. */
function identityOf(stamp: string): string {
  return stamp.split(' ').slice(3).join(' ')
}

/** The folder in which git finds the refs of a repository, as it looks for it: below the path, then at the path. */
function gitFolder(path: string): string | undefined {
  for (const home of [join(path, '.git'), path]) {
    const found = realDisk.statSync(home)
    if (found === undefined) continue
    if (found.kind !== 'directory') return undefined
    const names = new Map(readdirSync(home, { withFileTypes: true }).map((entry) => [entry.name, entry]))
    if (!names.has('objects') || !names.has('refs')) continue
    const isPlain =
      names.get('HEAD')?.isFile() === true &&
      names.get('refs')?.isDirectory() === true &&
      ['config', 'packed-refs'].every((name) => names.get(name)?.isFile() !== false)
    return isPlain && !LEADING_AWAY.some((name) => names.has(name)) ? home : undefined
  }
  return undefined
}

/** Refs that lie elsewhere, or in another form. */
const LEADING_AWAY = ['commondir', 'config.worktree', 'gitdir', 'reftable']

/** Errors: too many files, or one that is neither a file nor a folder. */
function filesBelow(home: string, folder: string): string[] {
  const found: string[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of readdirSync(join(home, next), { withFileTypes: true })) {
      const name = join(next, entry.name)
      if (entry.isDirectory()) folders.push(name)
      else if (!entry.isFile()) throw new Error('Only git can follow this ref.')
      found.push(name)
      if (found.length > MAX_FILES) throw new Error('Too many refs to look at.')
    }
  }
  return found.sort()
}

function readKept(file: string): string | undefined {
  try {
    return realDisk.readFileSync(file).toString('utf8')
  } catch {
    return undefined // none yet, or not to be read
  }
}

/** A cache: where it cannot be written, git is asked again. */
async function keep(file: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(file))
    await replaceFile(file, text)
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown
  }
}
