import type { Disk } from '../../../server/plugin.ts'
import { groupVersions } from '../catalog/versions.ts'
import type { EmbeddingOptions } from '../config.ts'
import { primaryProvider, providerNames } from '../domain/providers.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { contentOf, repositoriesIn, stepBetween } from '../output/index-content.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import type { VectorPlace } from './database-vectors.ts'
import type { Lexicon } from './lexicon.ts'
import type { ModuleEmbedder } from './module-embedder.ts'
import { type ModuleFields, moduleFields } from './module-fields.ts'
import { openEmbedder, requireKey } from './open-embedder.ts'
import { openStore } from './open-store.ts'
import { type PackedText, packText } from './packed-text.ts'
import { refuseOtherStore, type StoreHeader } from './store-header.ts'
import {
  documentDigest,
  documentMark,
  type IncludeOptions,
  type StoredRecord,
  vectorDocument,
} from './vector-record.ts'
import type { Touch, VectorChanges, VectorItem, VectorStore } from './vector-store.ts'

/** The input of the vector step, after summaries and index are on disk. */
export interface VectorWork {
  /** What is known of their repositories. */
  readonly index: Pick<ModuleIndex, 'repositories' | 'records'>
  /** An index of which `index` has the records that did not change, as the same objects. */
  readonly earlier?: ModuleIndex | undefined
  /** Every record of the index. */
  readonly records: readonly IndexRecord[]
  /** The index of the folder that the store belongs to, if the records are of another one: its records come first. */
  readonly owner?: Pick<ModuleIndex, 'repositories' | 'records'> | undefined
  /** Ids of this run, written or unchanged: their `last_updated` is refreshed. */
  readonly touched: ReadonlySet<string>
  /** Ids that were pruned, in this run or in one that could not remove their vectors. */
  readonly removed: readonly string[]
  load(record: IndexRecord): Promise<ModuleSummary>
  readonly signal: AbortSignal
  progress(done: number, total: number): void
}

/** A module that has no vector, and why. */
export interface VectorFailure extends Pick<IndexRecord, 'repository' | 'ref' | 'path'> {
  readonly why: string
}

export interface VectorReport {
  readonly strategy: string
  readonly upserted: number
  readonly unchanged: number
  /** The records that were looked at: of the others nothing changed. */
  readonly records: readonly IndexRecord[]
  /** Which of them have vectors in the store now, and the marks of their documents where they were compared. */
  readonly embedded: ReadonlyMap<string, string | undefined>
  readonly failures: readonly VectorFailure[]
}

/** The vector step of one run: one update of the store. */
export interface VectorStep {
  update(work: VectorWork): Promise<VectorReport>
}

/**
 * Prepares the vector step before any git work, so that a missing key or a mixed store refuses the run before it starts.
 * Writes nothing yet. `trust` tells whether a `caller` of REST or MCP or the operator wrote the options.
 */
export type OpenVectors = (
  embedding: EmbeddingOptions,
  trust: 'operator' | 'caller',
  signal: AbortSignal,
) => Promise<VectorStep>

export interface VectorParts {
  loadLexicon(): Promise<Lexicon>
  readonly workingDirectory: string
  readonly env: Readonly<Record<string, string | undefined>>
  now(): Date
  /** That of the output directory and of the embedded store; absent: this machine's. */
  readonly disk?: Disk | undefined
  /** Where the database keeps the configured catalogue; absent: it is files. */
  readonly place?: VectorPlace | undefined
}

/** Makes the vector step of an ingest run; see `OpenVectors`. */
export function vectorOpener(parts: VectorParts): OpenVectors {
  return async (options, trust) => {
    requireKey(options)
    const { disk, place, workingDirectory } = parts
    const lexicon = await parts.loadLexicon()
    const store = await openStore(options, workingDirectory, { disk, ...(trust === 'operator' && { place }) })
    const held = await store.header()
    if (held) refuseOtherStore(held, wantedHeader(options, lexicon, held))
    return { update: (work) => update({ options, parts, lexicon, store }, work) } satisfies VectorStep
  }
}

/** The wanted header as far as it is known without opening a model: the dimensions are taken from the store. */
function wantedHeader(options: EmbeddingOptions, lexicon: Lexicon, held: StoreHeader): StoreHeader {
  const isDefault = options.strategy === 'vectordb-default'
  return {
    ...held,
    strategy: options.strategy,
    include: includeOf(options),
    ...(held.strategy === options.strategy && isDefault && { lexicon_version: lexicon.version }),
  }
}

interface Run {
  readonly options: EmbeddingOptions
  readonly parts: VectorParts
  readonly lexicon: Lexicon
  readonly store: VectorStore
}

/** Embeds new and changed records, refreshes the rest, and applies everything as one update of the store. */
async function update(run: Run, work: VectorWork): Promise<VectorReport> {
  const { options, parts, lexicon, store } = run
  const { workingDirectory, env } = parts
  const embedder = await openEmbedder(options, { lexicon, workingDirectory, env })
  try {
    const embedding = createEmbedding(embedder, work)
    const plan = await planOf(run, work, embedding)
    const embedded = await embedding.finish()
    const header = embedder.header(includeOf(options))
    const dims = header.dims || (embedded.items[0]?.vector.length ?? (await store.header())?.dims ?? 0)
    const owned = new Set((work.owner?.records ?? []).map(({ id }) => id))
    const remove = work.removed.filter((id) => !owned.has(id))
    const content = { from: plan.storeContent, to: contentOf(work.index) }
    const changes: VectorChanges = {
      ...{ upsert: embedded.items, touch: plan.touch, remove },
      ...(work.owner === undefined && { content }),
    }
    const isOfOther = plan.storeContent !== undefined && plan.storeContent !== content.to
    const count = changes.upsert.length + changes.touch.length + changes.remove.length
    if (dims > 0 && (count > 0 || isOfOther)) {
      await store.apply({ ...header, dims }, changes)
    }
    return {
      strategy: embedder.strategy,
      upserted: embedded.items.length,
      unchanged: plan.unchanged,
      records: plan.records,
      embedded: new Map([
        ...plan.marks,
        ...embedded.items.map(({ id, metadata }) => [id, documentMark(metadata.document_sha256)] as const),
      ]),
      failures: embedded.failures,
    }
  } finally {
    await embedder.close()
    await store.close()
  }
}

/** Embeds every record of `work` without looking at the store, for a rebuild. Writes nothing. */
export async function embedAnew(
  embedder: ModuleEmbedder,
  options: EmbeddingOptions,
  work: VectorWork,
): Promise<{ readonly header: StoreHeader; readonly items: readonly VectorItem[] }> {
  const include = includeOf(options)
  const latest = latestIds(work)
  const embedding = createEmbedding(embedder, work)
  for (const record of work.records) {
    await embedding.add(candidateOf(record, await work.load(record), include, latest.has(record.id)))
  }
  const { items } = await embedding.finish()
  return { header: embedder.header(include), items }
}

interface Candidate {
  readonly record: IndexRecord
  readonly stored: StoredRecord
  readonly fields: ModuleFields
}

interface Plan {
  readonly records: readonly IndexRecord[]
  readonly touch: readonly Touch[]
  /** The marks of these records; undefined for one that was not compared. */
  readonly marks: ReadonlyMap<string, string | undefined>
  /** Records of this run whose document did not change. */
  readonly unchanged: number
  /** The content of the store when it was looked at. */
  readonly storeContent: string | undefined
}

/**
 * Compares records with what is stored: by the digest of its document, which follows from summary and options. What
 * differs is embedded as soon as it is found. A summary is read only where its mark does not tell.
 */
async function planOf({ options, store }: Run, work: VectorWork, embedding: Embeddings): Promise<Plan> {
  const include = includeOf(options)
  const sameInclude = sameOptions((await store.header())?.include, include)
  const storeContent = await store.content()
  const changed = sameInclude ? changedRecords(work, storeContent) : undefined
  const records = changed ?? work.records
  const stored = await store.digests(changed?.map(({ id }) => id))
  const latest = latestIds({ ...work, records })
  /** The document of a record that has to be looked at. */
  const documentOf = async (record: IndexRecord): Promise<Candidate | undefined> => {
    const digest = stored.get(record.id)
    const isKnown = sameInclude && digest !== undefined && documentMark(digest) === record.document_mark
    const mayDiffer = work.touched.has(record.id) || digest === undefined || !sameInclude
    if (isKnown || !mayDiffer) return undefined
    return candidateOf(record, await work.load(record), include, latest.has(record.id))
  }
  const touch: Touch[] = []
  const marks = new Map<string, string | undefined>()
  let unchanged = 0
  for (const record of records) {
    const candidate = await documentOf(record)
    const digest = stored.get(record.id)
    if (candidate && digest !== candidate.stored.metadata.document_sha256) {
      await embedding.add(candidate)
      continue
    }
    touch.push({ id: record.id, last_updated: record.last_updated, latest: latest.has(record.id) })
    marks.set(record.id, candidate && digest !== undefined ? documentMark(digest) : record.document_mark)
    if (work.touched.has(record.id)) unchanged++
  }
  return { records, touch, marks, unchanged, storeContent }
}

/**
 * The records of repositories that changed, or have one without a vector, where the store is of the earlier index: of
 * all others it has what it should. Undefined: all are to be compared.
 */
function changedRecords(
  { index, earlier, owner, records, touched }: VectorWork,
  storeContent: string | undefined,
): readonly IndexRecord[] | undefined {
  if (!earlier || owner || records !== index.records || storeContent !== contentOf(earlier)) return undefined
  const repositories = new Set(repositoriesIn(stepBetween(earlier, index)))
  for (const { id, repository, embedded } of records)
    if (!embedded || touched.has(id)) repositories.add(repository)
  return records.filter(({ repository }) => repositories.has(repository))
}

/**
 * Ids of the latest version of each module. What the owner of the store knows of a module holds: otherwise an ingest into
 * another folder would take a module's place in its searches.
 */
function latestIds({ index, records, owner }: VectorWork): ReadonlySet<string> {
  const own = owner === undefined ? [] : groupVersions(owner, owner.records)
  const known = new Set(own.map(moduleOf))
  const others = groupVersions(index, records).filter((group) => !known.has(moduleOf(group)))
  return new Set([...own, ...others].map(({ latest }) => latest.id))
}

function moduleOf({ repository, path }: Pick<IndexRecord, 'repository' | 'path'>): string {
  return `${repository}\0${path}`
}

function candidateOf(
  record: IndexRecord,
  summary: ModuleSummary,
  include: IncludeOptions,
  latest: boolean,
): Candidate {
  const document = vectorDocument(summary, include)
  const metadata = {
    repository: record.repository,
    ref: record.ref,
    path: record.path,
    provider: primaryProvider(summary),
    providers: providerNames(summary).join(','),
    tags: record.tags.join(','),
    last_updated: record.last_updated,
    kind: record.kind,
    latest,
    document_sha256: documentDigest(document),
  }
  return { record, stored: { id: record.id, document, metadata }, fields: includedFields(summary, include) }
}

/** The fields of the built-in strategy follow the same options as the document. */
function includedFields(summary: ModuleSummary, include: IncludeOptions): ModuleFields {
  const fields = moduleFields(summary)
  return {
    title: fields.title,
    description: include.description ? fields.description : '',
    readme: include.readme ? fields.readme : '',
    varnames: include.variables ? fields.varnames : '',
    variables: include.variables ? fields.variables : '',
    outputs: include.outputs ? fields.outputs : '',
    resources: include.resource_types ? fields.resources : '',
  }
}

/** Modules that are embedded together; of those before them only packed documents and vectors are in memory. */
const EMBEDDED_AT_A_TIME = 256

interface Embeddings {
  add(candidate: Candidate): Promise<void>
  finish(): Promise<{ readonly items: readonly VectorItem[]; readonly failures: readonly VectorFailure[] }>
}

function createEmbedding(embedder: ModuleEmbedder, work: VectorWork): Embeddings {
  const items: VectorItem[] = []
  const failures: VectorFailure[] = []
  const documents = new Map<string, PackedText>()
  let waiting: Candidate[] = []
  const packed = ({ document, metadata }: StoredRecord): PackedText => {
    const known = documents.get(metadata.document_sha256) ?? packText(document)
    documents.set(metadata.document_sha256, known)
    return known
  }
  const embed = async (): Promise<void> => {
    const texts = waiting.map(({ stored, fields }) => ({ document: stored.document, fields }))
    const embeddings = texts.length === 0 ? [] : await embedder.modules(texts, work.signal)
    for (const [at, { record, stored }] of waiting.entries()) {
      const embedding = embeddings[at] ?? { failed: 'the strategy gave no vector' }
      const { repository, ref, path } = record
      if ('vector' in embedding) items.push({ ...stored, document: packed(stored), vector: embedding.vector })
      else failures.push({ repository, ref, path, why: embedding.failed })
    }
    waiting = []
  }
  return {
    async add(candidate) {
      waiting.push(candidate)
      if (waiting.length >= EMBEDDED_AT_A_TIME) await embed()
    },
    async finish() {
      await embed()
      const done = items.length + failures.length
      if (done > 0) work.progress(done, done)
      return { items, failures }
    },
  }
}

/** The spec's `include_*` options. */
export function includeOf(options: EmbeddingOptions): IncludeOptions {
  return {
    description: options.include_description,
    readme: options.include_readme,
    variables: options.include_variables,
    outputs: options.include_outputs,
    resource_types: options.include_resource_types,
  }
}

function sameOptions(held: IncludeOptions | undefined, wanted: IncludeOptions): boolean {
  return held !== undefined && JSON.stringify(held) === JSON.stringify(wanted)
}
