import { createHash, randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectoryDurably, syncDirectory } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { isErrnoException } from '../errno.ts'
import { refusal } from '../reasons.ts'
import type { IndexRecord } from './module-index.ts'

const WRITES_AT_ONCE = 16

/** A file to write. */
export interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A summary as it is written: 2-space JSON with a final newline, and the hash of those bytes. */
export function printSummary(summary: ModuleSummary): { readonly bytes: Buffer; readonly sha256: string } {
  const bytes = Buffer.from(`${JSON.stringify(summary, null, 2)}\n`)
  return { bytes, sha256: sha256(bytes) }
}

/**
 * Writes files of one directory so that each is old or new at any moment, and all are on disk when it resolves.
 * Errors: `unavailable`/`storage_failed`.
 */
export async function writeFilesDurably(directory: string, files: readonly NamedBytes[]): Promise<void> {
  if (files.length === 0) return
  try {
    await makeDirectoryDurably(directory)
    const waiting = [...files]
    const worker = async (): Promise<void> => {
      for (let file = waiting.pop(); file; file = waiting.pop()) await replaceFile(directory, file)
    }
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, worker))
    await syncDirectory(directory)
  } catch (thrown) {
    throw storageFailure(thrown)
  }
}

async function replaceFile(directory: string, file: NamedBytes): Promise<void> {
  const temp = join(directory, `.tmp-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    const handle = await open(temp, 'wx', 0o644)
    try {
      await handle.writeFile(file.bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temp, join(directory, file.name))
  } catch (thrown) {
    await rm(temp, { force: true })
    throw thrown
  }
}

/** Collects summaries and writes them in batches, one batch at a time. */
export interface BatchWriter {
  write(record: IndexRecord, bytes: Uint8Array): Promise<void>
  /** Resolves when everything handed over so far is on disk. Errors: `unavailable`/`storage_failed`. */
  flush(): Promise<void>
  /** Files written so far. */
  count(): number
}

const BATCH_FILES = 32
const BATCH_BYTES = 4 * 1024 * 1024

/** `onDisk` is called once a summary can survive a kill: only then may an index name it. */
export function createBatchWriter(directory: string, onDisk: (record: IndexRecord) => void): BatchWriter {
  let waiting: { record: IndexRecord; bytes: Uint8Array }[] = []
  let held = 0
  let count = 0
  let writing: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => {
    const batch = waiting
    waiting = []
    held = 0
    writing = writing.then(async () => {
      const files = batch.map(({ record, bytes }) => ({ name: record.summary_file, bytes }))
      await writeFilesDurably(directory, files)
      for (const { record } of batch) onDisk(record)
      count += batch.length
    })
    return writing
  }
  return {
    async write(record, bytes) {
      waiting.push({ record, bytes })
      held += bytes.length
      if (waiting.length >= BATCH_FILES || held > BATCH_BYTES) await flush()
    },
    flush,
    count: () => count,
  }
}

/** Whether the file is there with exactly these bytes. */
export async function isIntact(outputDir: string, name: string, expected: string): Promise<boolean> {
  const bytes = await readFile(join(outputDir, name)).catch(() => undefined)
  return bytes !== undefined && sha256(bytes) === expected
}

/** A summary that the index names. Errors: `conflict`/`index_damaged` when it is missing or no JSON. */
export async function loadSummary(outputDir: string, name: string): Promise<ModuleSummary> {
  try {
    return JSON.parse(await readFile(join(outputDir, name), 'utf8')) as ModuleSummary // named and written by us
  } catch (cause) {
    throw refusal(
      'index_damaged',
      'A summary that the index names is missing or damaged. Run `satchel ingest` again.',
      { cause },
    )
  }
}

/** Removes temporary files that a killed run left. Only while the run's lock is held. */
export async function sweepTemporaryFiles(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    for (const name of await readdir(directory).catch(() => [])) {
      if (/^\.tmp-\d+-[0-9a-f]{12}$/.test(name)) await rm(join(directory, name), { force: true })
    }
  }
}

/** What the system said of a failed write, as an error a caller can act on; everything else stays as it is. */
export function storageFailure(thrown: unknown): unknown {
  const codes = [
    'ENOSPC',
    'EROFS',
    'EACCES',
    'EPERM',
    'EDQUOT',
    'EIO',
    'EMFILE',
    'EFBIG',
    'ENOTDIR',
    'EEXIST',
  ]
  if (!isErrnoException(thrown) || !codes.includes(thrown.code ?? '')) return thrown
  return refusal(
    'storage_failed',
    'The output directory could not be written. Check the free space and its permissions, then run again.',
    { cause: thrown },
  )
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
