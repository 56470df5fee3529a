import { posix } from 'node:path'
import { refusals } from '../reasons.ts'
import type { Blobs } from './blobs.ts'

/** A regular file of a commit. */
export interface TreeFile {
  /** Repository-relative, `/` between parts. */
  readonly path: string
  readonly oid: string
}

/** An entry that is not a file or directory of the commit, or has an unreadable name: reported, never followed. */
export interface SkippedEntry {
  readonly path: string
  readonly code: 'symlink_skipped' | 'submodule_skipped' | 'path_not_utf8'
}

export interface Tree {
  readonly files: readonly TreeFile[]
  readonly skipped: readonly SkippedEntry[]
}

/** One name in one directory, as a tree object holds it. */
export interface TreeEntry {
  /** Undefined for a name that is not UTF-8, or that no directory can have (`..`, with a slash). */
  readonly name: string | undefined
  readonly mode: string
  readonly oid: string
}

/** Reads the trees of commits; directories that commits share are read once. */
export interface TreeReader {
  /** Requests the roots of these commits from git in one batch. */
  expect(commits: Iterable<string>): void
  /**
   * The entries of the directories that are `wanted` (by their path, `.` for the root); other directories are not
   * entered. A symbolic link is the file or directory of the commit that it leads to, by object id; one that is absolute,
   * leaves the tree, loops or leads nowhere is skipped. Errors: `too_large`/`repository_too_large`, `unavailable`/`repository_damaged`, and those of git.
   */
  treeOf(commit: string, wanted: (directory: string) => boolean): Promise<Tree>
  /** The entry at a path of a commit (`.`: its root), with what a directory holds; undefined when there is none. */
  entryAt(commit: string, path: string): Promise<FoundEntry | undefined>
}

/** An entry, and the entries in it when it is a directory. */
export interface FoundEntry {
  readonly oid: string
  readonly mode: string
  readonly entries?: readonly TreeEntry[]
}

const MAX_ENTRIES = 200_000 // modules design 8
const MAX_DEPTH = 100
const MAX_TREE_BYTES = 16 * 1024 * 1024

/** Reads trees as objects: no process for each ref, and most directories of 20 tags are the same. */
export function createTreeReader(blobs: Blobs): TreeReader {
  const directories = new Map<string, Promise<readonly TreeEntry[]>>()
  const entriesOf = (name: string): Promise<readonly TreeEntry[]> => {
    const known = directories.get(name)
    if (known !== undefined) return known
    const entries = readDirectory(blobs, name)
    entries.catch(() => undefined) // reported to the caller that awaits it
    directories.set(name, entries)
    return entries
  }
  return {
    expect(commits) {
      for (const commit of commits) void entriesOf(rootOf(commit)) // `treeOf` reports the error
    },
    async treeOf(commit, wanted) {
      const follow = (path: string) => lookup({ commit, entriesOf, blobs }, path)
      const bounds = { left: MAX_ENTRIES, linksLeft: MAX_FOLLOWED }
      const walk: Walk = { entriesOf, follow, wanted, ...bounds, files: [], skipped: [] }
      await walkDirectory(walk, { name: rootOf(commit), prefix: '', above: [], links: 0 })
      return walk
    },
    entryAt: (commit, path) => lookup({ commit, entriesOf, blobs }, path),
  }
}

interface Lookup {
  readonly commit: string
  readonly entriesOf: Walk['entriesOf']
  readonly blobs: Blobs
}

/** The entry at a path of a commit; links on the way and at its end are followed inside the commit. */
async function lookup(at: Lookup, path: string, links = 0): Promise<FoundEntry | undefined> {
  const root = rootOf(at.commit)
  let found: FoundEntry = { oid: root, mode: DIRECTORY, entries: await at.entriesOf(root) }
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  for (const [index, part] of parts.entries()) {
    const entry = found.entries?.find(({ name }) => name === part)
    if (entry === undefined) return undefined
    if (entry.mode === LINK) {
      const target = await linkTarget(at.blobs, entry.oid, parts.slice(0, index).join('/'))
      const rest = parts.slice(index + 1)
      if (target === undefined || links >= MAX_LINKS) return undefined
      return await lookup(at, [target, ...rest].join('/'), links + 1)
    }
    found = {
      oid: entry.oid,
      mode: entry.mode,
      ...(entry.mode === DIRECTORY && { entries: await at.entriesOf(entry.oid) }),
    }
  }
  return found
}

/** The path in the tree that a link in `directory` names; undefined when it is absolute or leaves the tree. */
async function linkTarget(blobs: Blobs, oid: string, directory: string): Promise<string | undefined> {
  const blob = await blobs.read(oid, MAX_TARGET_BYTES)
  const target = blob?.type === 'blob' ? blob.bytes?.toString('utf8') : undefined
  if (target === undefined || target === '' || posix.isAbsolute(target) || target.includes('\0'))
    return undefined
  const path = posix.join(directory, target)
  return path === '..' || path.startsWith('../') ? undefined : path
}

function rootOf(commit: string): string {
  return `${commit}^{tree}`
}

interface Walk extends Tree {
  readonly entriesOf: (name: string) => Promise<readonly TreeEntry[]>
  readonly follow: (path: string) => Promise<FoundEntry | undefined>
  readonly wanted: (directory: string) => boolean
  left: number
  linksLeft: number
  readonly files: TreeFile[]
  readonly skipped: SkippedEntry[]
}

/** A directory being walked: those above it by object id, and how many of them are links. */
interface Step {
  readonly name: string
  readonly prefix: string
  readonly above: readonly string[]
  readonly links: number
}

const DIRECTORY = '40000'
const LINK = '120000'
/** Links on the way to one file, in one path or one below another (round 2, section 3). */
const MAX_LINKS = 8
const MAX_TARGET_BYTES = 4096
/** Links followed in one commit: those of linked folders are met again, so that few links can make a large tree. */
const MAX_FOLLOWED = 1000

async function walkDirectory(walk: Walk, step: Step): Promise<void> {
  const { name, prefix, above } = step
  if (above.length > MAX_DEPTH) throw tooLarge(`its directories are nested more than ${MAX_DEPTH} deep`)
  const entries = await walk.entriesOf(name)
  walk.left -= entries.length
  if (walk.left < 0) throw tooLarge(`it has more than ${MAX_ENTRIES} files`)
  for (const entry of entries) {
    const path = `${prefix}${entry.name ?? '\ufffd'}`
    if (entry.name === undefined) walk.skipped.push({ path, code: 'path_not_utf8' })
    else if (entry.mode === '160000') walk.skipped.push({ path, code: 'submodule_skipped' })
    else if (entry.mode === LINK) await walkLink(walk, step, path)
    else if (entry.mode.startsWith('100')) walk.files.push({ path, oid: entry.oid })
    else if (entry.mode === DIRECTORY && walk.wanted(path)) {
      await walkDirectory(walk, { ...step, name: entry.oid, prefix: `${path}/`, above: [...above, name] })
    }
  }
}

async function walkLink(walk: Walk, step: Step, path: string): Promise<void> {
  walk.linksLeft -= 1
  const found = walk.linksLeft < 0 ? undefined : await walk.follow(path)
  const above = [...step.above, step.name]
  const isLoop = found !== undefined && above.includes(found.oid)
  if (found?.mode.startsWith('100')) walk.files.push({ path, oid: found.oid })
  else if (found?.entries === undefined || isLoop || step.links >= MAX_LINKS) {
    walk.skipped.push({ path, code: 'symlink_skipped' })
  } else if (walk.wanted(path)) {
    await walkDirectory(walk, { name: found.oid, prefix: `${path}/`, above, links: step.links + 1 })
  }
}

/** `name` is the id of a tree, or that of a commit with `^{tree}`. */
async function readDirectory(blobs: Blobs, name: string): Promise<readonly TreeEntry[]> {
  const object = await blobs.read(name, MAX_TREE_BYTES)
  if (object?.type !== 'tree') throw damaged()
  if (object.bytes === undefined) throw tooLarge('one of its directories is too long')
  return parseTree(object.bytes, object.oid.length / 2)
}

/** Reads `<mode> <name>\0<id>` …; `idBytes` is 20 or 32. Exported for tests. */
export function parseTree(bytes: Buffer, idBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const end = space < 0 ? -1 : bytes.indexOf(0, space)
    if (end < 0 || end + idBytes >= bytes.length) throw damaged()
    const next = end + 1 + idBytes
    const mode = bytes.toString('latin1', at, space)
    entries.push({
      mode,
      name: nameOf(bytes.subarray(space + 1, end)),
      oid: bytes.toString('hex', end + 1, next),
    })
    at = next
  }
  return entries
}

function nameOf(bytes: Buffer): string | undefined {
  const name = bytes.toString('utf8')
  const isOdd = name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\ufffd')
  return isOdd ? undefined : name
}

function tooLarge(why: string) {
  return refusals.repository_too_large({ why })
}

function damaged() {
  return refusals.directory_missing()
}
