import { createHash, randomBytes } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  makeFolder,
  orMissing,
  realDisk,
  removeFile,
  removeTree,
  writeFileDurably,
} from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Git } from './command.ts'

/** Files that would make git read a further configuration. */
const LEADING_AWAY = ['commondir', 'config.worktree', 'gitdir']

/** A file of this name marks a directory that satchel made and may remove. */
const MARKER = 'satchel-store'

/** The path of a repository's clone: `clone_dir/<name>-<12 hex of sha256(url)>.git`. */
export function storePath(cloneDir: string, name: string, url: string): string {
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 12)
  return join(cloneDir, `${name}-${hash}.git`)
}

/** A flat ref of our own for a ref of the remote, so that no two of them conflict. */
export function privateRef(fullName: string): string {
  const kind = fullName.startsWith('refs/tags/') ? 't' : 'h'
  const hash = createHash('sha256').update(fullName).digest('hex').slice(0, 16)
  return `refs/satchel/${kind}-${hash}`
}

/**
 * Makes the bare store where there is none, and replaces its `config` with our own:
 * what someone planted there never acts. A store that a killed git left locked is made again: it holds nothing that the
 * remote does not. Only while the store's own lock is held.
 * Errors: `conflict`/`store_foreign` when the place holds something else; the file system's own.
 */
export async function ensureStore(path: string, objectFormat: 'sha1' | 'sha256'): Promise<void> {
  const found = await orMissing(lstat(path))
  if (found === undefined) return await createStore(path, objectFormat)
  if (!found.isDirectory() || !(await hasMarker(path))) {
    throw refusals.store_foreign()
  }
  if (await isLeftLocked(path)) {
    const aside = buildingName(path)
    await realDisk.rename(path, aside)
    await removeTree(aside)
    return await createStore(path, objectFormat)
  }
  await Promise.all([resetConfig(path, objectFormat), removeHalfPacks(path)])
}

/** Whether a git that was killed left a lock: every later one would refuse to write. No other program works in our stores. */
async function isLeftLocked(path: string): Promise<boolean> {
  const folders = await Promise.all([path, join(path, 'refs', 'satchel')].map(namesIn))
  return folders.flat().some((name) => name.endsWith('.lock'))
}

/** Packs that a killed git did not receive to their end; git itself removes them only in a `gc`, which never runs here. */
export async function removeHalfPacks(path: string): Promise<void> {
  const packs = join(path, 'objects', 'pack')
  const half = (await namesIn(packs)).filter((name) => name.startsWith('tmp_'))
  await Promise.all(half.map((name) => removeFile(join(packs, name))))
}

async function namesIn(folder: string): Promise<string[]> {
  return (await orMissing(readdir(folder))) ?? []
}

/** A name that `removeStores` recognizes, in case it is left behind. */
function buildingName(path: string): string {
  return `${path}.new-${randomBytes(6).toString('hex')}`
}

/** A bare repository is these folders, a HEAD and its configuration; `git init` would add what the user's template says. */
const FOLDERS = ['objects/info', 'objects/pack', 'refs']

async function createStore(path: string, objectFormat: 'sha1' | 'sha256'): Promise<void> {
  const building = buildingName(path)
  try {
    await makeFolder(building)
    await Promise.all([
      realDisk.create(join(building, MARKER), 'satchel 1\n'),
      ...FOLDERS.map((folder) => makeFolder(join(building, folder))),
      realDisk.create(join(building, 'HEAD'), 'ref: refs/heads/main\n'),
      realDisk.create(join(building, 'config'), configOf(objectFormat)),
    ])
    // A power cut must not leave a store without its marker: it would count as foreign.
    await realDisk.syncDirectory(building)
    await realDisk.rename(building, path)
    await realDisk.syncDirectory(dirname(path))
  } catch (thrown) {
    await removeTree(building)
    if (!(await hasMarker(path))) throw thrown // else another run made it first, in the same way
  }
}

async function resetConfig(path: string, objectFormat: 'sha1' | 'sha256'): Promise<void> {
  const ours = configOf(objectFormat)
  await Promise.all(LEADING_AWAY.map((name) => removeTree(join(path, name))))
  const config = join(path, 'config')
  const there = await orMissing(lstat(config))
  if (there?.isFile() && (await readFile(config, 'utf8')) === ours) return
  await removeTree(config)
  await writeFileDurably(config, ours)
}

function configOf(objectFormat: 'sha1' | 'sha256'): string {
  const version = objectFormat === 'sha256' ? 1 : 0
  const format = objectFormat === 'sha256' ? '[extensions]\n\tobjectformat = sha256\n' : ''
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${format}`
}

/**
 * The store of a repository below `cloneDir`, under any name of its entry. Undefined where there is none, or where its
 * configuration is not the one that satchel writes: git must not run in that one.
 */
export async function findStore(cloneDir: string, url: string): Promise<string | undefined> {
  const ending = storePath('', '', url)
  for (const name of (await namesIn(cloneDir)).filter((one) => one.endsWith(ending))) {
    const path = join(cloneDir, name)
    const config = await readFile(join(path, 'config'), 'utf8').catch(() => undefined)
    const isOurs = config === configOf('sha1') || config === configOf('sha256')
    const names = await namesIn(path)
    if (isOurs && (await hasMarker(path)) && !LEADING_AWAY.some((one) => names.includes(one))) return path
  }
  return undefined
}

/** Whether satchel made this directory; never follows a link. */
export async function hasMarker(path: string): Promise<boolean> {
  const directory = await orMissing(lstat(path))
  if (!directory?.isDirectory()) return false
  const marker = await orMissing(lstat(join(path, MARKER)))
  return marker?.isFile() ?? false
}

/** Removes the stores that lie directly in `cloneDir` and carry our marker, and nothing else. Returns their names. */
export async function removeStores(cloneDir: string, names: ReadonlySet<string>): Promise<string[]> {
  const removed: string[] = []
  for (const entry of await readdir(cloneDir).catch(() => [])) {
    const base = entry.replace(/\.new-[0-9a-f]{12}$/, '')
    const path = join(cloneDir, entry)
    if (!names.has(base) || !(await hasMarker(path))) continue
    await removeTree(path)
    removed.push(entry)
  }
  return removed.sort()
}

const MAX_PACKS = 50 // modules design 2.3

/** After a fetch: packs many small packs together. */
export async function tidyStore(path: string, git: Git): Promise<void> {
  const names = await readdir(join(path, 'objects', 'pack')).catch(() => [])
  if (names.filter((name) => name.endsWith('.pack')).length > MAX_PACKS) {
    await git.run(['repack', '-a', '-d', '-q'])
  }
}
