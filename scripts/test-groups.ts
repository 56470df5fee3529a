/** Which test files share a process: loading what a file tests takes half a second, often more than its tests do (decision 224). */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { USES_PEERS } from './test-peers.ts'

/** What one process of the test runner runs. */
export interface TestGroup {
  /** The file that Node is given. */
  readonly entry: string
  /** The test files that it loads; never empty. */
  readonly files: readonly string[]
}

/** Few enough that no group keeps the last processor busy alone; a page takes long. */
const FILES_MAX = 8
const PAGE_FILES_MAX = 3
/** What changes, measures or times its process. Its file runs alone: neighbours would see it, or be in its figures. */
const NEEDS_ITS_PROCESS =
  /\bprocess\.(?!(?:execPath|platform|version|pid)\b|cwd\(|env\b(?!(?:\.\w+|\[[^\]]+\]) (?:\?\?)?=[^=]))|delete process\.|\b(?:performance|mock)\.|'node:v8'|cpu-time\.ts'/
/** Tests of the room's page share a browser. */
const LOOKS_AT_PAGE = /\/workspace-page\.ts'/

/**
 * Groups neighbours of one part: among the tests beside the code the host or a plugin, among the others those of the
 * page. Each other file is a group of its own. A group of several files gets an entry in the folder `entries`, which exists.
 */
export function groupTestFiles(files: readonly string[], entries: string): readonly TestGroup[] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files.toSorted()) {
    const part = partOf(file)
    const neighbours = part && open.get(part)
    if (neighbours && neighbours.length < (part === 'page' ? PAGE_FILES_MAX : FILES_MAX)) {
      neighbours.push(file)
      continue
    }
    const group = [file]
    groups.push(group)
    if (part) open.set(part, group)
  }
  return groups.map((group) => ({ entry: entryOf(group, entries), files: group }))
}

/** undefined: the file runs alone. */
function partOf(file: string): string | undefined {
  const text = readFileSync(file, 'utf8')
  const [folder, plugin] = file.split(sep)
  if (NEEDS_ITS_PROCESS.test(text) || USES_PEERS.test(text)) return undefined // peers fill memory
  if (folder === 'server') return folder
  if (folder === 'plugins') return `${folder}/${plugin}`
  return LOOKS_AT_PAGE.test(text) ? 'page' : undefined
}

function entryOf(group: readonly string[], entries: string): string {
  const [file = '', ...others] = group
  if (others.length === 0) return file
  const path = join(entries, `${file.replaceAll(sep, '+')}+${others.length}.mjs`)
  writeFileSync(path, group.map((each) => `import '${pathToFileURL(resolve(each))}'\n`).join(''))
  return path
}
