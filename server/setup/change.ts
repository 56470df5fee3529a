import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../platform/disk.ts'
import { removeEmptyFolder } from '../platform/file-tree.ts'
import type { ConfigPlace, FormatName } from './clients.ts'
import { type Before, holdsWanted, type Wanted, withoutWanted, withWanted } from './config-edits.ts'
import {
  bytesOf,
  type ConfigFile,
  digestOf,
  editing,
  readConfigFile,
  replaceConfigFile,
  requireWritable,
} from './config-file.ts'
import type { ConfigFormat } from './config-format.ts'
import { readableDiff } from './diff-lines.ts'
import { type SetupPlace, stateFolder } from './folders.ts'
import { refusals } from './refusals.ts'
import { forgetSaved, keepSaved, loadSaved, type SavedFile } from './saved-files.ts'

/** The entries of satchel in one file. */
export interface FilePlan {
  readonly place: ConfigPlace
  readonly wanted: readonly Wanted[]
}

/** A change of one file that is not written yet. */
export interface FileChange {
  readonly file: ConfigFile
  /** Undefined: the file goes. Equal to what is there: nothing is to do. */
  readonly after: Buffer | undefined
  readonly changes: boolean
  /** How a removal restores the file. */
  readonly restores?: 'exactly' | 'in part'
  /** Writes it. Errors: those of `replaceConfigFile`. */
  write(): Promise<void>
}

const FORMATS: Readonly<Record<FormatName, () => Promise<ConfigFormat>>> = {
  json: async () => (await import('./json-format.ts')).jsonFormat,
  toml: async () => (await import('./toml-format.ts')).tomlFormat,
  yaml: async () => (await import('./yaml-format.ts')).yamlFormat,
  lines: async () => (await import('./lines-format.ts')).linesFormat,
  whole: async () => (await import('./whole-format.ts')).wholeFormat,
}

/** The value of a client's file; undefined if there is none. Errors: the `config_*` refusals. */
export async function configValue(
  place: ConfigPlace,
  at: SetupPlace,
): Promise<{ file: ConfigFile; value: unknown }> {
  const file = await readConfigFile(place, at)
  const format = await FORMATS[place.format]()
  return { file, value: editing(file, () => format.read(file.text)) }
}

/** The change that puts the entries into their file. Errors: the `config_*` refusals. */
export async function additionTo({ place, wanted }: FilePlan, at: SetupPlace): Promise<FileChange> {
  const file = await readConfigFile(place, at)
  const format = await FORMATS[place.format]()
  const start = file.bytes === undefined ? (place.blank ?? '') : file.text
  const text = editing(file, () => withWanted(format, start, wanted))
  const after = bytesOf(file, text)
  const changes = file.bytes === undefined || !file.bytes.equals(after)
  if (changes) requireWritable(file)
  return {
    file,
    after,
    changes,
    async write() {
      if (!changes) return
      const folder = stateFolder(at)
      await kept(file, keepSaved(folder, await savedOf(file, { after, at, format, wanted })))
      await replaceConfigFile(file, after)
    },
  }
}

async function kept(file: ConfigFile, keeping: Promise<void>): Promise<void> {
  await keeping.catch((cause: unknown) => {
    throw refusals.config_not_written({ path: file.shown, error: systemCode(cause) ?? 'state' }, { cause })
  })
}

interface Saving {
  readonly after: Buffer
  readonly at: SetupPlace
  readonly format: ConfigFormat
  readonly wanted: readonly Wanted[]
}

/** What is kept before the file is written: of a file with entries of an earlier setup, what it is without them. */
async function savedOf(file: ConfigFile, { after, at, format, wanted }: Saving): Promise<SavedFile> {
  const { path } = file
  const known = await loadSaved(stateFolder(at), path)
  const afterDigest = digestOf(after) ?? ''
  if (known && known.after_digest === digestOf(file.bytes)) return { ...known, after_digest: afterDigest }
  const had = known && file.bytes !== undefined && wanted.some((one) => holdsWanted(format, file.text, one))
  const before = had
    ? bytesOf(
        file,
        editing(file, () => withoutWanted(format, file.text, wanted, beforeOf(format, known))),
      )
    : file.bytes
  return {
    format: 1,
    path,
    before_digest: digestOf(before) ?? null,
    after_digest: afterDigest,
    before: before?.toString('base64') ?? null,
    made_folders: known?.made_folders ?? missingFolders(path),
  }
}

function missingFolders(path: string): string[] {
  const missing: string[] = []
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.push(at)
  return missing
}

function beforeOf(format: ConfigFormat, saved: SavedFile | undefined): Before {
  if (!saved) return undefined
  return { value: saved.before === null ? undefined : format.read(textOf(saved.before)) }
}

function textOf(base64: string): string {
  return new TextDecoder().decode(Buffer.from(base64, 'base64'))
}

/**
 * The change that undoes a setup: the exact bytes before it if the file is as the setup left it, else the file without
 * satchel's entries and with those that they replaced. Undefined if it has none. Errors: the `config_*` refusals.
 */
export async function removalFrom(
  { place, wanted }: FilePlan,
  at: SetupPlace,
): Promise<FileChange | undefined> {
  const file = await readConfigFile(place, at)
  if (file.bytes === undefined) return undefined
  const format = await FORMATS[place.format]()
  const folder = stateFolder(at)
  const saved = await loadSaved(folder, file.path)
  const left = saved?.after_digest === digestOf(file.bytes) ? saved : undefined
  // What a user wrote into a file of satchel's stays.
  if (!left && place.format === 'whole') return undefined
  if (!left && !editing(file, () => wanted.some((one) => holdsWanted(format, file.text, one))))
    return undefined
  const after = left ? bytesBefore(left) : remainder({ file, format, saved, wanted, blank: place.blank })
  requireWritable(file)
  return {
    file,
    after,
    changes: true,
    restores: left ? 'exactly' : 'in part',
    async write() {
      await replaceConfigFile(file, after)
      await forgetSaved(folder, file.path)
      if (after !== undefined) return
      for (const made of saved?.made_folders ?? []) if (!(await removeEmptyFolder(made))) return
    },
  }
}

function bytesBefore({ before }: SavedFile): Buffer | undefined {
  return before === null ? undefined : Buffer.from(before, 'base64')
}

interface Remaining {
  readonly file: ConfigFile
  readonly format: ConfigFormat
  readonly saved: SavedFile | undefined
  readonly wanted: readonly Wanted[]
  readonly blank: string | undefined
}

/** The file without the entries; undefined for a file of satchel's own in which nothing else is. */
function remainder({ file, format, saved, wanted, blank }: Remaining): Buffer | undefined {
  const text = editing(file, () => withoutWanted(format, file.text, wanted, beforeOf(format, saved)))
  const isOwn = saved?.before === null
  if (isOwn && (text === blank || /^\s*(\{\s*\})?\s*$/.test(text))) return undefined
  return bytesOf(file, text)
}

/** The change as a unified diff; what is the same in a long line is cut. */
export async function diffOf({ file, after }: FileChange): Promise<string> {
  const { createTwoFilesPatch } = await import('diff')
  const text = after === undefined ? '' : new TextDecoder().decode(after)
  const [from, to] = [
    file.bytes === undefined ? '/dev/null' : file.shown,
    after === undefined ? '/dev/null' : file.shown,
  ]
  const patch = createTwoFilesPatch(from, to, file.text, text, '', '', { context: 2 })
  const lines = patch.slice(patch.indexOf('--- ')).split('\n') // an index and a rule are above the names
  return readableDiff(lines.map((line) => line.replace(/\r$/, '')))
    .join('\n')
    .trimEnd()
}
