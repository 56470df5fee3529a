import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeDirectoryDurably, orMissing, realDisk } from '../../../server/plugin.ts'
import { CODE_FORMAT, codePath } from '../output/code-store.ts'
import { loadIndex } from '../output/index-file.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import {
  byRepository,
  type IndexRecord,
  type ModuleIndex,
  stateDir,
  summaryFiles,
} from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import { type CatalogueRows, IF_NEW, summaryHashes } from './catalogue-rows.ts'
import { changesSince } from './changes.ts'
import { applyChanges, withoutVector } from './follow.ts'
import { uploadSummaries } from './summary-upload.ts'

/** A catalogue of files, and the rows of one. */
export interface CatalogueCopy {
  readonly rows: CatalogueRows
  readonly catalogue: string
  readonly outputDir: string
}

/** How many records were copied, and how many were there. */
export interface CopiedModules {
  readonly copied: number
  readonly present: number
}

/** Whose summaries are sent together: many repositories are small. */
const RECORDS_AT_ONCE = 500

/** Compares what both places have; writes nothing. Errors: `catalogue_differs`. */
export async function checkCopy({ rows, outputDir }: CatalogueCopy): Promise<void> {
  const index = await loadIndex(outputDir)
  if (index === undefined) return
  const there = await changesSince(rows, 0)
  const known = new Set(there.repositories.map(({ repository }) => repository))
  await refuseDiffering(outputDir, presentIn(index, known), there.records)
}

/**
 * Copies the files into rows, a repository in each transaction; can be done again after an interruption.
 * Errors: `catalogue_differs`, `conflict`/`index_damaged`.
 */
export async function importCatalogue(
  { rows, outputDir }: CatalogueCopy,
  signal: AbortSignal,
): Promise<CopiedModules> {
  const index = await loadIndex(outputDir)
  if (index === undefined) return { copied: 0, present: 0 }
  const there = await changesSince(rows, 0)
  const known = new Set(there.repositories.map(({ repository }) => repository))
  const present = index.records.filter(({ repository }) => known.has(repository))
  await refuseDiffering(outputDir, present, there.records)
  await rows.createCatalogue()
  const missing = index.records.filter(({ repository }) => !known.has(repository))
  for (let at = 0; at < missing.length; at += RECORDS_AT_ONCE) {
    signal.throwIfAborted()
    await uploadSummaries(rows, outputDir, missing.slice(at, at + RECORDS_AT_ONCE))
  }
  const recordsOf = byRepository(missing)
  let copied = 0
  for (const repository of index.repositories) {
    signal.throwIfAborted()
    if (known.has(repository.repository)) continue
    const records = recordsOf.get(repository.repository) ?? []
    const code = await orMissing(realDisk.readFile(codePath(outputDir, repository.repository)))
    const own = { repository, records: records.map(withoutVector), removed: [], codeFormat: CODE_FORMAT }
    await rows.publish({ ...own, code: code ?? Buffer.alloc(0) }, IF_NEW)
    copied += records.length
  }
  if (copied > 0) await rows.finish(index)
  return { copied, present: present.length }
}

/**
 * Copies the rows into files beside what they hold of other repositories; can be done again after an interruption.
 * Errors: `catalogue_differs`, `conflict`/`ingest_running`.
 */
export async function exportCatalogue(copy: CatalogueCopy): Promise<CopiedModules> {
  const { rows, outputDir } = copy
  await makeDirectoryDurably(stateDir(outputDir))
  const lock = await takeIngestLock(join(stateDir(outputDir), 'ingest.lock'))
  try {
    const before = await loadIndex(outputDir)
    const changes = await changesSince(rows, 0)
    const known = new Set(changes.repositories.map(({ repository }) => repository))
    const present = presentIn(before, known)
    await refuseDiffering(outputDir, present, changes.records)
    const records = [...changes.records.values()].filter((record) => record !== undefined)
    if (records.length > present.length) await applyChanges(copy, { before, changes, isNext: true })
    return { copied: records.length - present.length, present: present.length }
  } finally {
    await lock.release()
  }
}

function presentIn(index: ModuleIndex | undefined, known: ReadonlySet<string>): readonly IndexRecord[] {
  return index?.records.filter(({ repository }) => known.has(repository)) ?? []
}

/** Errors: `catalogue_differs`, also for a file whose bytes are not those that its record names. */
async function refuseDiffering(
  outputDir: string,
  own: readonly IndexRecord[],
  theirs: ReadonlyMap<string, IndexRecord | undefined>,
): Promise<void> {
  const differing: IndexRecord[] = []
  for (const record of own) {
    const other = theirs.get(record.id)
    const isSame = other !== undefined && summaryHashes(other).join() === summaryHashes(record).join()
    if (!isSame || !(await hasItsBytes(outputDir, record))) differing.push(record)
  }
  const [first] = differing
  if (first === undefined) return
  const { repository, ref, path } = first
  throw refusals.catalogue_differs({ count: differing.length, module: `${repository} ${ref} ${path}` })
}

async function hasItsBytes(outputDir: string, record: IndexRecord): Promise<boolean> {
  const names = summaryFiles([record])
  for (const [at, hash] of summaryHashes(record).entries()) {
    const bytes = await orMissing(realDisk.readFile(join(outputDir, names[at] ?? '')))
    if (!bytes || createHash('sha256').update(bytes).digest('hex') !== hash) return false
  }
  return true
}
