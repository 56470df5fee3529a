/** Stores what the code of a module directory is compared by. */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { MODULE_FILE_MAX_BYTES, moduleFlavour } from '../domain/module-files.ts'
import type { Blobs } from '../git/blobs.ts'
import type { FoundEntry, TreeEntry, TreeReader } from '../git/tree.ts'
import { readCode, unreadCode } from '../hcl/code-blocks.ts'
import { type CodeWriter, MAX_NESTED } from '../output/code-store.ts'

/** What is needed of the reading of a ref. */
interface CodeReading {
  readonly blobs: Blobs
  readonly code: CodeWriter
  readonly trees: TreeReader
}

const MAX_USES = 200
/** Nested modules of one ref beyond this are compared by their digest only. */
const MAX_DIRECTORIES = 500

/**
 * Notes the module files of a directory, and the digest of everything else in the repository that they name; nested
 * modules are noted in the same way.
 */
export async function addDirectory(path: string, commit: string, reading: CodeReading): Promise<void> {
  await addWithNested(path, { commit, reading, left: MAX_DIRECTORIES }, MAX_NESTED)
}

interface Walk {
  readonly commit: string
  readonly reading: CodeReading
  left: number
}

async function addWithNested(path: string, walk: Walk, depth: number): Promise<void> {
  const { commit, reading } = walk
  const { code, trees } = reading
  const entries = (await trees.entryAt(commit, path))?.entries
  if (entries === undefined || code.hasDirectory(commit, path)) return
  walk.left -= 1
  const files = await moduleFilesIn(path, entries, walk)
  const read = await Promise.all(files.map(([name, oid]) => usesOf(name, oid, reading)))
  const uses: [string, string][] = []
  for (const used of insidePaths(path, read.flat())) {
    const found = await trees.entryAt(commit, used)
    if (found) uses.push([used, digestOf(found)])
    if (found && isModule(found) && depth > 0 && walk.left > 0) await addWithNested(used, walk, depth - 1)
  }
  if (files.length > 0) code.addDirectory(commit, path, { files, uses })
}

/** Name and object id; a link is the file that it leads to. */
async function moduleFilesIn(
  path: string,
  entries: readonly TreeEntry[],
  { commit, reading }: Walk,
): Promise<[string, string][]> {
  const files: [string, string][] = []
  for (const entry of entries) {
    const { name, mode } = entry
    if (name === undefined || moduleFlavour(name) === undefined) continue
    const isFile = mode.startsWith('100')
    const file = isFile ? entry : await reading.trees.entryAt(commit, posix.join(path, name))
    if (file?.mode.startsWith('100')) files.push([name, file.oid])
  }
  return files
}

/** The paths that a file names; its code is added if it is not stored. */
async function usesOf(name: string, oid: string, { blobs, code }: CodeReading): Promise<readonly string[]> {
  const known = code.usesOf(name, oid)
  if (known !== undefined) return known
  const blob = await blobs.read(oid, MODULE_FILE_MAX_BYTES)
  const bytes = blob?.type === 'blob' ? blob.bytes : undefined
  code.addFile(name, oid, bytes === undefined ? unreadCode(name, oid) : readCode(name, bytes))
  return code.usesOf(name, oid) ?? []
}

/** Repository paths of what a directory names, without those that lead out of the repository. */
function insidePaths(directory: string, named: readonly string[]): string[] {
  const paths = new Set(named.map((path) => posix.join(directory, path).replace(/\/$/, '')))
  return [...paths]
    .filter((path) => path !== directory && path !== '..' && !path.startsWith('../'))
    .sort()
    .slice(0, MAX_USES)
}

function isModule({ entries = [] }: FoundEntry): boolean {
  return entries.some(({ name }) => name !== undefined && moduleFlavour(name) !== undefined)
}

/** Documents and tests beside a nested module are not what it does. */
const NOT_CODE =
  /^(?:\.|readme|changelog|changes|licen[cs]e|contributing|code_of_conduct|makefile|docs?$|examples?$|tests?$)/i

function digestOf({ oid, entries }: FoundEntry): string {
  if (entries === undefined) return oid
  const hash = createHash('sha256')
  for (const { name, oid: inner } of entries) {
    if (name === undefined || !NOT_CODE.test(name)) hash.update(`${name} ${inner}\n`)
  }
  return hash.digest('hex').slice(0, 40)
}
