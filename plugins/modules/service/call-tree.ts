/** The Terraform code of a directory tree, one configuration for each directory. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, posix, resolve, sep } from 'node:path'
import { matchesGlob, readRegularFile, systemCode } from '../../../server/plugin.ts'
import { MODULE_FILE_MAX_BYTES, moduleFlavour, tofuTwin } from '../domain/module-files.ts'
import { refusals } from '../reasons.ts'
import type { CallFile } from './call-file.ts'

/** One directory with module files. */
export interface CallDirectory {
  /** Its place on the disk, links resolved. */
  readonly place: string
  /** As typed, with slashes; `.` for the working directory. */
  readonly name: string
  readonly files: readonly CallFile[]
  /** Files that are not text, or too large. */
  readonly unread: readonly string[]
  /** Whether these are all module files of the directory. */
  readonly isWhole: boolean
  /** Whether another program may write more of them before Terraform reads the directory. */
  readonly isGenerated?: boolean
}

/** Terragrunt and Terramate write files beside those of the directory. */
const GENERATORS = /^terragrunt(?:\..+)?\.hcl(?:\.json)?$|\.tm(?:\.hcl)?$/

/** More files than this are not configuration that a person wrote. */
const MAX_FILES = 20_000
const MAX_DEPTH = 64

/**
 * Reads a file, or every directory below one in the order of their names. Directories whose names start with a dot and
 * `node_modules` are left out, and so are links to directories: what they lead to is read where it is.
 * Errors: `not_found`/`file_not_found`, `invalid`/`file_not_text` for a file that was typed, `tree_too_large`.
 */
export async function readCallTree(
  workingDirectory: string,
  typed: string,
  exclude: readonly string[],
): Promise<readonly CallDirectory[]> {
  const path = resolve(workingDirectory, typed)
  const found = await stat(path).catch(missing)
  if (!found) throw refusals.call_file_missing({ file: typed })
  if (!found.isDirectory()) return [await onlyFile(path, typed)]
  const globs = exclude.map((glob) => glob.split('/'))
  const directories: CallDirectory[] = []
  let count = 0
  const walk = async (relative: string, depth: number): Promise<void> => {
    const entries = await readdir(join(path, relative), { withFileTypes: true })
    const isKept = (name: string): boolean => {
      const segments = posix.join(relative, name).split('/')
      return !globs.some((glob) => matchesGlob(glob, segments))
    }
    const names = entries.map(({ name }) => name).sort()
    const kinds = new Map(entries.map((entry) => [entry.name, entry]))
    const files = names.filter((name) => !kinds.get(name)?.isDirectory() && isCounted(name, names))
    count += files.length
    if (count > MAX_FILES) throw refusals.tree_too_large({ path: typed, count: MAX_FILES })
    if (files.length > 0) {
      const kept = files.filter(isKept)
      const directory = await readDirectory(join(path, relative), shown(typed, relative), kept)
      const isGenerated = names.some((name) => GENERATORS.test(name))
      directories.push({ ...directory, isWhole: kept.length === files.length, isGenerated })
    }
    if (depth === MAX_DEPTH) return
    for (const name of names) {
      const isWalked = kinds.get(name)?.isDirectory() && !name.startsWith('.') && name !== 'node_modules'
      if (isWalked && isKept(name)) await walk(posix.join(relative, name), depth + 1)
    }
  }
  await walk('.', 0)
  return directories
}

/** The module files of one directory; undefined where there is none. */
export async function readModuleDirectory(place: string): Promise<CallDirectory | undefined> {
  const names = await readdir(place).catch(missing)
  const files = names?.sort().filter((name) => isCounted(name, names)) ?? []
  return files.length === 0 ? undefined : await readDirectory(place, place, files)
}

/** Of `x.tf` and `x.tofu` the latter counts. */
function isCounted(name: string, names: readonly string[]): boolean {
  const twin = tofuTwin(name)
  return moduleFlavour(name) !== undefined && (twin === undefined || !names.includes(twin))
}

function shown(typed: string, relative: string): string {
  const name = posix.join(typed.split(sep).join('/'), relative)
  return name === '' ? '.' : name.replace(/(?<=.)\/$/, '')
}

async function readDirectory(place: string, name: string, names: readonly string[]): Promise<CallDirectory> {
  const files: CallFile[] = []
  const unread: string[] = []
  for (const file of names) {
    const found = await readRegularFile(join(place, file), MODULE_FILE_MAX_BYTES).catch(missing)
    const known = posix.join(name, file)
    if (found?.kind === 'text' && !found.text.includes('\ufffd'))
      files.push({ name: known, text: found.text })
    else unread.push(known)
  }
  return { place: await realpath(place), name, files, unread, isWhole: true }
}

async function onlyFile(path: string, typed: string): Promise<CallDirectory> {
  const found = await readRegularFile(path, MODULE_FILE_MAX_BYTES)
  if (found.kind !== 'text' || found.text.includes('\ufffd'))
    throw refusals.call_file_unreadable({ file: typed })
  const place = await realpath(join(path, '..'))
  const name = typed.split(sep).join('/')
  return { place, name: posix.dirname(name), files: [{ name, text: found.text }], unread: [], isWhole: false }
}

/** For `catch`: undefined for a path that leads to nothing; any other error is thrown again. */
export function missing(thrown: unknown): undefined {
  const code = systemCode(thrown)
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw thrown
}
