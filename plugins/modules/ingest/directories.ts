import { posix } from 'node:path'
import { moduleFlavour } from '../domain/module-files.ts'
import { compare } from '../domain/order.ts'
import type { ModuleKind } from '../domain/summary.ts'
import { excludes } from '../git/glob.ts'
import type { SkippedEntry, Tree, TreeFile } from '../git/tree.ts'
import { refusals } from '../reasons.ts'
import type { PlannedEntry } from './plan.ts'

/** A directory of a commit and its direct entries. */
export interface Directory {
  /** Repository-relative, `.` for the root. */
  readonly path: string
  readonly files: readonly TreeFile[]
  readonly skipped: readonly SkippedEntry[]
}

const MAX_MODULES = 5000 // modules design 8
const MAX_MODULE_FILES = 20_000
const EXAMPLE = /^_?(?:examples?|samples?|tests?|testdata|fixtures?)$/

/** Every directory of a tree, by path. */
export function directoriesOf(tree: Tree): ReadonlyMap<string, Directory> {
  const made = new Map<string, { path: string; files: TreeFile[]; skipped: SkippedEntry[] }>()
  const at = (path: string) => {
    const parent = posix.dirname(path)
    const known = made.get(parent)
    if (known) return known
    const fresh = { path: parent, files: [], skipped: [] }
    made.set(parent, fresh)
    return fresh
  }
  for (const file of tree.files) at(file.path).files.push(file)
  for (const entry of tree.skipped) at(entry.path).skipped.push(entry)
  return made
}

/** Whether a directory is a module. */
function isModuleDirectory(directory: Directory): boolean {
  return moduleFiles(directory).length > 0
}

/** The files of a directory that make it a module, in byte order of their names. */
export function moduleFiles(directory: Directory): TreeFile[] {
  return directory.files
    .filter(({ path }) => moduleFlavour(posix.basename(path)) !== undefined)
    .sort((a, b) => compare(a.path, b.path))
}

/**
 * The module directories that an entry asks for, by path.
 * Errors: `too_large`/`repository_too_large` beyond 5,000 modules or 20,000 module files.
 */
export function chooseDirectories(
  directories: ReadonlyMap<string, Directory>,
  entry: PlannedEntry,
): Directory[] {
  const chosen = [...directories.values()].filter(
    (directory) =>
      asksFor(entry, directory.path) && isModuleDirectory(directory) && !isExcluded(directory.path, entry),
  )
  const fileCount = chosen.reduce((sum, directory) => sum + moduleFiles(directory).length, 0)
  if (chosen.length > MAX_MODULES || fileCount > MAX_MODULE_FILES) {
    throw refusals.ref_too_large({ modules: chosen.length, files: fileCount })
  }
  return chosen.sort((a, b) => compare(a.path, b.path))
}

/** Whether an entry asks for a directory, before its `exclude_paths` are applied. */
export function asksFor({ path, recursive }: PlannedEntry, directory: string): boolean {
  return directory === path || (recursive && (path === '.' || directory.startsWith(`${path}/`)))
}

/** Whether a directory has to be entered for what an entry asks for: one that is asked for, or on the way to it. */
export function leadsTo(directory: string, entry: PlannedEntry): boolean {
  const isOnTheWay = entry.path.startsWith(`${directory}/`) || asksFor(entry, directory)
  return isOnTheWay && !isExcluded(directory, entry)
}

/** The submodules that an entry asks for, or that its path leads into: what is in them is in another repository. */
export function submodulesFor({ skipped }: Tree, entry: PlannedEntry): string[] {
  return skipped
    .filter(({ code, path }) => code === 'submodule_skipped' && leadsTo(path, entry))
    .map(({ path }) => path)
}

/** The paths of all module directories of a tree. */
export function moduleDirectories(tree: Tree): ReadonlySet<string> {
  const found = [...directoriesOf(tree).values()].filter(isModuleDirectory)
  return new Set(found.map(({ path }) => path))
}

/** Holds for everything below as well. */
function isExcluded(path: string, entry: PlannedEntry): boolean {
  return entry.excludes.some((pattern) => excludes(pattern, path))
}

/** The kind of a directory, relative to the configured path. */
export function kindOf(path: string, entry: Pick<PlannedEntry, 'path'>): ModuleKind {
  if (path === entry.path) return 'root'
  return path.split('/').some((segment) => EXAMPLE.test(segment)) ? 'example' : 'submodule'
}
