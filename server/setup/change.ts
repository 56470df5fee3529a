import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../platform/disk.ts'
import { removeEmptyFolder } from '../platform/file-tree.ts'
import type { ConfigPlace, FormatName } from './clients.ts'
import {
  type Before,
  holdsWanted,
  originIn,
  shownPlace,
  type Wanted,
  withoutWanted,
  withWanted,
} from './config-edits.ts'
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
  /** Places of values that a removal leaves, because no setup wrote them. */
  readonly left?: readonly string[]
  /** Folders that were made for a file that a removal takes away, the deepest first. */
  readonly madeFolders?: readonly string[]
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
  const edit = () => withWanted(format, start, wanted)
  const text = editing(file, edit, () => ({
    step: 'Add these lines by hand.',
    lines: withWanted(format, '', wanted).trimEnd(),
  }))
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
    ? bytesOf(file, withoutBy(file, { format, wanted, before: beforeOf(format, known) }))
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

/** Errors: the `config_*` refusals. */
function withoutBy(
  file: ConfigFile,
  { format, wanted, before }: { format: ConfigFormat; wanted: readonly Wanted[]; before: Before },
): string {
  const edit = () => withoutWanted(format, file.text, wanted, before)
  const entries = [...new Set(wanted.map(shownPlace))].join(', ')
  return editing(file, edit, () => ({ step: `Take ${entries} out by hand.` }))
}

/**
 * The change that undoes a setup: the exact bytes before it if the file is as the setup left it, else the file without
 * satchel's entries and with those that they replaced. Where no setup is known, only entries that one would write go; an
 * entry of another program stays in any case. Undefined if the file has no entry. Errors: the `config_*` refusals.
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
  const origins = wanted.map((one) =>
    left ? undefined : editing(file, () => originIn(format, file.text, one)),
  )
  const stays = (_: Wanted, at: number) =>
    origins[at] === 'foreign' || (origins[at] === 'changed' && saved === undefined)
  const leaves = [...new Set(wanted.filter(stays).map(shownPlace))]
  const own = wanted.filter((one, at) => !stays(one, at))
  if (!left && !wanted.some((_, at) => origins[at] !== undefined)) return undefined
  if (!left && !wanted.some((one, at) => origins[at] !== undefined && !stays(one, at)))
    return { file, after: file.bytes, changes: false, left: leaves, write: async () => {} }
  const after = left ? bytesBefore(left) : remainder({ file, format, saved, wanted: own, blank: place.blank })
  requireWritable(file)
  return {
    file,
    after,
    changes: true,
    restores: left ? 'exactly' : 'in part',
    left: leaves,
    madeFolders: after === undefined ? (saved?.made_folders ?? []) : [],
    async write() {
      await replaceConfigFile(file, after)
      await forgetSaved(folder, file.path)
    },
  }
}

/** Removes the folders that setups made for these files and that are empty now; several files may be in one. */
export async function removeMadeFolders(changes: readonly FileChange[]): Promise<void> {
  const made = new Set(changes.flatMap(({ madeFolders = [] }) => madeFolders))
  const deepestFirst = [...made].sort((a, b) => b.length - a.length)
  for (const folder of deepestFirst) await removeEmptyFolder(folder)
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
  const text = withoutBy(file, { format, wanted, before: beforeOf(format, saved) })
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
