/** Writes the files of an archive into a store, as one commit for a version. */
import { isSatchelError } from '../../../server/plugin.ts'
import type { Import, ImportedFile } from '../git/import.ts'
import { refusals } from '../reasons.ts'
import type { ArchiveEntry } from './archive-entry.ts'

export interface Package {
  readonly bytes: Buffer
  /** Who sent it, for messages. */
  readonly host: string
  /** The directory of the archive that is the module; `*` means the one directory with such a name. */
  readonly subdirectory: string
}

/** What became of the entries of an archive. */
export interface ReadPackage {
  readonly files: readonly ImportedFile[]
  /** Entries that are not a file, directory or link, or link to nothing: left out. */
  readonly skipped: number
}

/**
 * Streams the blobs of an archive into `target`; the commit is the caller's.
 * Errors: `invalid`/`archive_refused`, also for a path that leads out of the archive; `too_large`/`package_too_large`.
 */
export async function readPackage(found: Package, target: Import): Promise<ReadPackage> {
  try {
    return await readEntries(found, target)
  } catch (thrown) {
    if (isSatchelError(thrown)) throw thrown
    const why = 'it is damaged or cut off'
    throw refusals.archive_refused({ host: found.host, why }, { cause: thrown })
  }
}

async function readEntries({ bytes, host, subdirectory }: Package, target: Import): Promise<ReadPackage> {
  const { readArchive } = await import('./archive.lazy.ts')
  const files = new Map<string, ImportedFile>()
  let skipped = 0
  for await (const entry of readArchive(bytes, host)) {
    const path = plainPath(entry.path, host)
    if (path === '' || entry.kind === 'directory' || isOfGit(path)) continue
    const file =
      entry.kind === 'hard_link'
        ? files.get(plainPath(entry.target, host))
        : await importEntry(entry, path, target)
    if (file === undefined) skipped += 1
    files.delete(path) // of two entries with one path the later counts, as in unpacking
    if (file !== undefined) files.set(path, { ...file, path })
  }
  const chosen = below([...files.values()], subdirectory.split('/'), host)
  if (chosen.length === 0) throw refusals.archive_refused({ host, why: 'it holds no file' })
  return { files: chosen, skipped }
}

/** Undefined for what is neither a file nor a link. */
async function importEntry(
  { kind, size, target: linked, content }: ArchiveEntry,
  path: string,
  target: Import,
): Promise<ImportedFile | undefined> {
  if (kind === 'file') return { path, kind, mark: await target.addBlob(size, content()) }
  if (kind !== 'link') return undefined
  const bytes = Buffer.from(linked)
  return { path, kind, mark: await target.addBlob(bytes.length, whole(bytes)) }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** `a/b` for `./a//b/`. Errors: `invalid`/`archive_refused` for a path that leads out of the archive. */
function plainPath(typed: string, host: string): string {
  const parts = typed.split('/').filter((part) => part !== '' && part !== '.')
  if (typed.startsWith('/') || parts.includes('..') || /[\\\0]|^[A-Za-z]:/.test(typed)) {
    throw refusals.archive_path_refused({ host })
  }
  return parts.join('/')
}

/** git accepts no such path, and no module has one. */
function isOfGit(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git')
}

/** The files below a directory, with paths relative to it. */
function below(
  files: readonly ImportedFile[],
  directory: readonly string[],
  host: string,
): readonly ImportedFile[] {
  const [first, ...rest] = directory
  if (first === undefined) return files
  if (first === '.' || first === '') return below(files, rest, host)
  const found = new Set(
    files.flatMap(({ path }) => (path.includes('/') ? [path.split('/', 1)[0] ?? ''] : [])),
  )
  const [name, other] = [...found].filter((one) => matches(one, first))
  if (name === undefined)
    throw refusals.archive_refused({ host, why: 'it lacks the directory that the registry names' })
  if (other !== undefined)
    throw refusals.archive_refused({ host, why: 'several of its directories fit the address' })
  const inside = files.flatMap((file) =>
    file.path.startsWith(`${name}/`) ? [{ ...file, path: file.path.slice(name.length + 1) }] : [],
  )
  return below(inside, rest, host)
}

/** `*` matches any characters. Each part takes its first place, so that the time is linear. */
function matches(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
