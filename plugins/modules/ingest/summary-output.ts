import type { Disk } from '../../../server/plugin.ts'
import { moduleTags, primaryProvider, providerNames } from '../domain/providers.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { createNameBook } from '../output/file-name.ts'
import type { FileStamps, Stamp } from '../output/file-stamps.ts'
import {
  type IndexRecord,
  type ModuleIndex,
  moduleId,
  type RepositoryRow,
  summaryFiles,
} from '../output/module-index.ts'
import { createSummaryPrinter } from '../output/summary-printer.ts'
import { createSummaryWriter } from '../output/summary-writer.ts'
import { createNamesOfRun, type NamesOfRun, nameOwners } from './names-of-run.ts'
import type { Plan } from './plan.ts'
import { createReadingBook, type ReadingBook } from './reading-book.ts'
import type { ReadingOutput } from './run.ts'
import { createSightings, type Sightings } from './sightings.ts'

/** The output directory of one run: its earlier content and the changes of this run. */
export interface SummaryOutput extends ReadingOutput {
  /** The current index; call after `flush`. */
  index(finishedAt: string | null): ModuleIndex
  /** A repository as the index has it; call after `flush`. */
  repositoryRow(repository: string): RepositoryRow | undefined
  /** Ids this run wrote or found unchanged. */
  touched(): ReadonlySet<string>
  /** Records whose summary is new or other than before. */
  changed(): readonly IndexRecord[]
  /** Summary files this run wrote. */
  written(): number
  /** Records by id, for pruning: removing one removes it from the next `index()`. */
  readonly records: Map<string, IndexRecord>
  /** Every summary file that a record names or that is still to be removed; `index()` lists those without a record. */
  readonly files: Set<string>
  /** Ids whose vectors may be in the store although no record has them. */
  readonly staleVectors: Set<string>
  /** Whether a run with embeddings has begun, this one or an earlier one. */
  hadVectors: boolean
  /** The state of the remotes as seen by this run. */
  readonly sightings: Sightings
}

export interface SummaryOutputOptions {
  readonly outputDir: string
  readonly earlier: ModuleIndex | undefined
  readonly stamps: FileStamps
  readonly disk?: Disk | undefined
  readonly parserVersion: string
  readonly now: () => Date
  readonly plan: Plan
}

/** Owned by one run, which holds the lock of the output directory. */
export function createSummaryOutput(options: SummaryOutputOptions): SummaryOutput {
  const { earlier, stamps } = options
  const records = byId(earlier?.records ?? [])
  const names = createNameBook(records, nameOwners(options.plan, earlier))
  const namesOfRun = createNamesOfRun(options.plan)
  const files = new Set([...(earlier?.leftovers ?? []), ...summaryFiles(records.values())])
  const staleVectors = new Set(earlier?.stale_vectors)
  const readings = createReadingBook(earlier, (repository, { ref, directories }, name) => {
    const found = directories.map((path) => records.get(moduleId(repository, ref, path)))
    return areIntact(found, name, { stamps, namesOfRun })
  })
  const [touched, changed, sightings] = [new Set<string>(), new Set<string>(), createSightings(readings)]
  let settled: Promise<void> = Promise.resolve()
  const { print, forget } = createSummaryPrinter()
  const onDisk = (written: IndexRecord, stamp: Stamp | undefined): void => {
    const { id, summary_file } = written
    if (stamp !== undefined) stamps.note(summary_file, written.summary_sha256, stamp)
    const before = records.get(id)
    const record = namesOfRun.merged(before, written)
    if (before?.summary_sha256 !== record.summary_sha256) changed.add(id)
    records.set(id, record)
    files.add(summary_file)
    touched.add(id)
  }
  const writer = createSummaryWriter(options.outputDir, onDisk, options.disk)
  const output: SummaryOutput = {
    records,
    files,
    staleVectors,
    hadVectors: earlier?.had_vectors ?? false,
    sightings,
    expect: readings.expect,
    earlier: async (repository, ref, entry) => (await readings.find(repository, ref, entry))?.directories,
    async take(summary, entry) {
      const id = moduleId(summary.repository, summary.ref, summary.path)
      namesOfRun.claim(id, summary.name)
      const { pieces, sha256 } = print(summary)
      const file = { summary_file: names.nameOf(id, summary), summary_sha256: sha256 }
      const how = { options_digest: entry.optionsDigest, last_updated: options.now().toISOString() }
      await writer.write(ownRecord(summary, { ...file, ...how }, records.get(id)), pieces)
    },
    ...{ commitBefore: readings.commitBefore, saw: sightings.saw },
    done(repository, ref, entry, directories) {
      sightings.read(repository, ref.ref, entry)
      const ids = directories.map((path) => moduleId(repository, ref.ref, path))
      for (const id of ids) if (records.get(id)?.name === entry.name) namesOfRun.claim(id, entry.name)
      // Disk and git work concurrently: a reading is noted only once its files are on disk.
      settled = Promise.all([settled, writer.flush()]).then(() => {
        refresh(records, ids, { at: options.now().toISOString(), namesOfRun })
        for (const id of ids) touched.add(id)
        readings.note(repository, ref, entry, directories)
      })
      settled.catch(() => undefined) // `flush` reports it
    },
    listed(repository, name, listing) {
      sightings.listed(repository, listing)
      readings.listed(repository, name, listing)
    },
    async flush() {
      await writer.flush()
      await settled
    },
    ended: forget,
    touched: () => touched,
    changed: () => [...changed].flatMap((id) => records.get(id) ?? []),
    written: writer.count,
    repositoryRow: readings.row,
    index: (finishedAt) => indexOf(options, finishedAt, { ...output, readings }),
  }
  return output
}

/** Filled without pairs, which would be garbage by the ten thousand. */
function byId(records: readonly IndexRecord[]): Map<string, IndexRecord> {
  const found = new Map<string, IndexRecord>()
  for (const record of records) found.set(record.id, record)
  return found
}

/** The files that no record names. Case is ignored, as some disks do: such names may be the same file. */
function leftovers({ files, records }: Pick<SummaryOutput, 'files' | 'records'>): string[] {
  const named = summaryFiles(records.values())
  if (named.length === files.size && named.every((file) => files.has(file))) return [] // as it is in most runs
  const exactly = new Set(named)
  const others = [...files].filter((file) => !exactly.has(file))
  if (others.length === 0) return others
  const folded = new Set(named.map((file) => file.toLowerCase()))
  return others.filter((file) => !folded.has(file.toLowerCase()))
}

interface Known extends Pick<SummaryOutput, 'records' | 'files' | 'staleVectors' | 'hadVectors'> {
  readonly readings: ReadingBook
}

function indexOf(
  { earlier, parserVersion }: SummaryOutputOptions,
  finishedAt: string | null,
  { records, readings, files, staleVectors, hadVectors }: Known,
): ModuleIndex {
  return {
    format: 1,
    parser_version: parserVersion,
    finished_at: finishedAt ?? earlier?.finished_at ?? null,
    repositories: readings.rows(),
    records: [...records.values()],
    leftovers: leftovers({ files, records }),
    stale_vectors: [...staleVectors].filter((id) => !records.has(id)).sort(),
    had_vectors: hadVectors,
  }
}

function refresh(
  records: Map<string, IndexRecord>,
  ids: readonly string[],
  { at, namesOfRun }: { readonly at: string; readonly namesOfRun: NamesOfRun },
): void {
  for (const id of ids) {
    const record = records.get(id)
    if (record) records.set(id, { ...namesOfRun.current(record), last_updated: at })
  }
}

/** Whether the summaries all match the index, under this name. */
async function areIntact(
  found: readonly (IndexRecord | undefined)[],
  name: string,
  { stamps, namesOfRun }: { readonly stamps: FileStamps; readonly namesOfRun: NamesOfRun },
): Promise<boolean> {
  const checks = found.map(async (record) => {
    const file = record && namesOfRun.fileOf(record, name)
    return file !== undefined && (await stamps.isIntact(file.summary_file, file.summary_sha256))
  })
  return !(await Promise.all(checks)).includes(false)
}

type Written = Pick<
  IndexRecord,
  'summary_file' | 'summary_sha256' | 'options_digest' | 'last_updated' | 'embedded'
>

/** A copy: the texts of a summary are parts of whole files, which they would keep in memory. */
function ownRecord(
  summary: ModuleSummary,
  written: Omit<Written, 'embedded'>,
  before: IndexRecord | undefined,
): IndexRecord {
  const id = moduleId(summary.repository, summary.ref, summary.path)
  // The vector is that of the summary with this hash.
  const embedded = before?.embedded === true && before.summary_sha256 === written.summary_sha256
  return structuredClone(recordOf(id, summary, { ...written, embedded }))
}

/** The index row of a summary. */
export function recordOf(id: string, summary: ModuleSummary, written: Written): IndexRecord {
  const { repository, name, ref, ref_kind, path, kind, commit, description } = summary
  // In the order of the schema, so that an index that was loaded is saved with the same bytes.
  return {
    id,
    repository,
    name,
    ref,
    ref_kind,
    path,
    kind,
    commit,
    options_digest: written.options_digest,
    summary_file: written.summary_file,
    summary_sha256: written.summary_sha256,
    description,
    provider: primaryProvider(summary),
    providers: providerNames(summary),
    tags: moduleTags(summary),
    counts: {
      variables: summary.variables.length,
      required: summary.variables.filter(({ required }) => required).length,
      outputs: summary.outputs.length,
      resources: summary.resources.length,
    },
    last_updated: written.last_updated,
    embedded: written.embedded,
  }
}
