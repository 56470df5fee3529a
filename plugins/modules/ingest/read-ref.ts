import { posix } from 'node:path'
import { nextTurn } from '../../../server/plugin.ts'
import type { ModuleFacts } from '../domain/module-facts.ts'
import { type Flavour, MODULE_FILE_MAX_BYTES, moduleFlavour } from '../domain/module-files.ts'
import { README_MAX_BYTES } from '../domain/readme.ts'
import type { SummaryInput } from '../domain/summarize-input.ts'
import type { Diagnostic, ModuleSummary } from '../domain/summary.ts'
import type { Blobs } from '../git/blobs.ts'
import type { SkippedEntry, TreeFile, TreeReader } from '../git/tree.ts'
import { readCode, unreadCode } from '../hcl/code-blocks.ts'
import type { CodeWriter } from '../output/code-store.ts'
import type { ParseCache } from '../output/parse-cache.ts'
import { refusals } from '../reasons.ts'
import type { ChosenRef } from './choose-refs.ts'
import {
  chooseDirectories,
  type Directory,
  directoriesOf,
  kindOf,
  leadsTo,
  moduleFiles,
  submodulesFor,
} from './directories.ts'
import { addDirectory } from './directory-code.ts'
import type { PlannedEntry } from './plan.ts'
import type { Run } from './run.ts'
import type { Text, TextCache } from './text-cache.ts'

/** The reading of refs of one repository. */
export interface RefReading {
  readonly run: Pick<Run, 'reader' | 'signal'>
  readonly repository: string
  readonly blobs: Blobs
  readonly trees: TreeReader
  readonly cache: ParseCache
  readonly code: CodeWriter
  readonly texts: TextCache
  /** Called once for a ref. */
  foundSubmodules?(ref: string, paths: readonly string[]): void
}

/** A larger README or licence is not read as text. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024
const MAX_LICENCE_BYTES = 64 * 1024
const MAX_BYTES_A_REF = 256 * 1024 * 1024
/** Longest synchronous work before the event loop gets a turn. */
const TURN_MS = 16

/**
 * The summaries of one ref, one at a time, so that a reader of 5,000 modules holds one.
 * Errors: `too_large`/`repository_too_large`, and those of git. What is wrong with a file is a diagnostic of its summary.
 */
export async function* readRef(
  reading: RefReading,
  { ref, kind, commit }: ChosenRef,
  entry: PlannedEntry,
): AsyncGenerator<ModuleSummary> {
  const { run, repository, trees } = reading
  const tree = await trees.treeOf(commit, (directory) => leadsTo(directory, entry))
  reading.foundSubmodules?.(ref, submodulesFor(tree, entry))
  const directories = directoriesOf(tree)
  const root = directories.get('.')
  const budget = createBudget()
  let turnBegan = performance.now()
  for (const directory of chooseDirectories(directories, entry)) {
    run.signal.throwIfAborted()
    const read = await readDirectory(directory, root, reading, budget)
    await addDirectory(directory.path, commit, reading)
    yield run.reader.summarize({
      repository,
      ref,
      refKind: kind,
      commit,
      path: directory.path,
      name: entry.name,
      kind: kindOf(directory.path, entry),
      ...read,
    })
    if (performance.now() - turnBegan > TURN_MS) {
      await nextTurn()
      turnBegan = performance.now()
    }
  }
}

type Read = Pick<SummaryInput, 'files' | 'readme' | 'licences' | 'diagnostics'>

async function readDirectory(
  directory: Directory,
  root: Directory | undefined,
  reading: RefReading,
  budget: Budget,
): Promise<Read> {
  const { reader } = reading.run
  const diagnostics = directory.skipped.filter(concernsModule).map(skippedDiagnostic)
  const readmeFile = reader.findReadme(directory.files)
  const licenceFiles = reader.findLicences(directory.files, root?.files ?? [])
  // Requested together: a round trip to git costs more than reading.
  const [files, readme, licences] = await Promise.all([
    Promise.all(moduleFiles(directory).map((file) => readModuleFile(file, reading, budget, diagnostics))),
    readmeFile && readSome(readmeFile, reading, budget, README_MAX_BYTES),
    Promise.all(licenceFiles.map((file) => readSome(file, reading, budget, MAX_LICENCE_BYTES))),
  ])
  if (readmeFile && !readme) diagnostics.push(unreadable(readmeFile, 'blob_missing'))
  const licenceTexts = licences.flatMap((licence) => licence?.bytes ?? [])
  return {
    files: files.flatMap((file) => (file ? [file] : [])),
    ...(readmeFile && readme && { readme: { name: posix.basename(readmeFile.path), ...readme } }),
    ...(licenceTexts.length > 0 && { licences: licenceTexts }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

async function readModuleFile(
  file: TreeFile,
  { blobs, cache, code, run }: RefReading,
  budget: Budget,
  diagnostics: Diagnostic[],
): Promise<{ name: string; facts: ModuleFacts } | undefined> {
  const name = posix.basename(file.path)
  const flavour: Flavour = moduleFlavour(name) ?? 'hcl'
  const known = cache.find(file.oid, flavour)
  if (known && code.usesOf(name, file.oid)) return { name, facts: known }
  const blob = await blobs.read(file.oid, MODULE_FILE_MAX_BYTES)
  if (blob?.type !== 'blob' || blob.bytes === undefined) {
    diagnostics.push(unreadable(file, blob?.type === 'blob' ? 'file_too_large' : 'blob_missing'))
    code.addFile(name, file.oid, unreadCode(name, file.oid))
    return undefined
  }
  budget.spend(blob.size)
  code.addFile(name, file.oid, readCode(name, blob.bytes))
  if (known) return { name, facts: known }
  const facts = await run.reader.parseFile(name, blob.bytes)
  // A reference that was unavailable may answer next time: do not cache such facts.
  if (!facts.diagnostics.some(({ code }) => code === 'reference_unavailable')) {
    cache.add(file.oid, flavour, facts)
  }
  return { name, facts }
}

/** The first `limit` bytes of a file that is worth its place in memory; undefined when the store lacks it. */
async function readSome(
  file: TreeFile,
  { blobs, texts }: RefReading,
  budget: Budget,
  limit: number,
): Promise<Text | undefined> {
  const known = texts.find(file.oid, limit)
  if (known) return known
  const blob = await blobs.read(file.oid, MAX_TEXT_BYTES)
  if (blob?.type !== 'blob' || blob.bytes === undefined) return undefined
  budget.spend(blob.size)
  // A copy: a part would hold the whole blob in memory.
  const bytes = blob.bytes.length > limit ? Uint8Array.from(blob.bytes.subarray(0, limit)) : blob.bytes
  const text = { bytes, size: blob.size }
  texts.add(file.oid, limit, text)
  return text
}

interface Budget {
  /** Errors: `too_large`/`repository_too_large` beyond 256 MiB of one ref. */
  spend(bytes: number): void
}

function createBudget(): Budget {
  let left = MAX_BYTES_A_REF
  return {
    spend(bytes) {
      left -= bytes
      if (left < 0) throw refusals.module_files_too_large()
    },
  }
}

/** Links and submodules are reported where a module would have a file of that name. */
function concernsModule({ path, code }: SkippedEntry): boolean {
  const name = posix.basename(path)
  return code === 'submodule_skipped' || moduleFlavour(name) !== undefined || /^readme/i.test(name)
}

const MESSAGES: Readonly<Record<string, string>> = {
  symlink_skipped: 'A symbolic link that leaves the repository, loops or leads nowhere is not followed.',
  submodule_skipped: 'A submodule is not fetched.',
  path_not_utf8: 'A file name is not UTF-8.',
  file_too_large: 'The file is larger than 1 MiB and was not read.',
  blob_missing: 'The clone lacks the content of this file.',
}

function skippedDiagnostic({ path, code }: SkippedEntry): Diagnostic {
  return { severity: 'warning', code, message: MESSAGES[code] ?? code, file: posix.basename(path) }
}

function unreadable(file: TreeFile, code: 'file_too_large' | 'blob_missing'): Diagnostic {
  return { severity: 'error', code, message: MESSAGES[code] ?? code, file: posix.basename(file.path) }
}
