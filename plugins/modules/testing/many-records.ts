import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModuleSummary } from '../domain/summary.ts'
import { recordOf } from '../ingest/summary-output.ts'
import { saveIndex } from '../output/index-file.ts'
import { type IndexRecord, type ModuleIndex, moduleId } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { documentVector } from '../search/dense-features.ts'
import { embeddedStore } from '../search/embedded-store.ts'
import type { Lexicon } from '../search/lexicon.ts'
import { loadLexicon } from '../search/lexicon-file.ts'
import { builtInEmbedder } from '../search/module-embedder.ts'
import { moduleFields } from '../search/module-fields.ts'
import { type PackedText, packText } from '../search/packed-text.ts'
import { replaceSearchIndex } from '../search/search-index-file.ts'
import { documentDigest, vectorDocument } from '../search/vector-record.ts'
import type { VectorItem } from '../search/vector-store.ts'
import { OWN_SUMMARIES } from './own-corpus.ts'

const INCLUDE = { description: true, readme: true, variables: true, outputs: true, resource_types: true }

/** Other modules that the README of one tells of, so that texts have about the size of real ones. */
const TOLD = 18
/** Comes after every tag of these modules in the order of versions. */
const NEWEST = 'v2.0.0'

/**
 * A project with `modules` made-up modules at `refs` tags each: configuration, index, keyword index and vectors as an
 * ingest leaves them. Modules of one make share a file of their summary.
 */
export async function writeManyRecords(dir: string, modules: number, refs: number): Promise<void> {
  const lexicon = await loadLexicon(undefined)
  const outputDir = join(dir, 'out')
  await mkdir(outputDir, { recursive: true })
  const samples = OWN_SUMMARIES.map((sample, at) =>
    preparedOf(withReadme(sample, at), `sample-${at}.json`, lexicon),
  )
  for (const { file, summary } of samples) await writeFile(join(outputDir, file), JSON.stringify(summary))
  const entries = Array.from({ length: modules }, (_, n) => n).flatMap((n) => {
    const sample = samples[n % samples.length]
    if (!sample) return []
    return Array.from({ length: refs }, (_, version) => {
      const ref = version === 0 ? NEWEST : `v1.${version}.0`
      return entryOf(sample, `https://example.test/acme/terraform-sample-${n}`, ref)
    })
  })
  const index: ModuleIndex = {
    format: 1,
    parser_version: '',
    finished_at: null,
    repositories: [],
    records: entries.map(({ record }) => record),
    leftovers: [],
    stale_vectors: [],
    had_vectors: false,
  }
  await saveIndex(outputDir, index)
  const load = ({ summary_file }: IndexRecord) => loadSummary(outputDir, summary_file)
  await replaceSearchIndex(outputDir, { index, load, lexicon })
  const header = builtInEmbedder(lexicon).header(INCLUDE)
  const items = entries.map(({ item }) => item)
  const vectors = embeddedStore(join(dir, 'vectors', 'infra_modules'), (_folder, work) => work())
  await vectors.replace(header, items)
  await vectors.close()
  await writeFile(join(dir, 'satchel.yaml'), JSON.stringify(configOf(dir)))
}

/** The configuration of a project in `dir` that keeps vectors and never ingests. */
export function configOf(dir: string) {
  return {
    repositories: [],
    output_dir: join(dir, 'out'),
    embedding: { enabled: true, vectordb_path: join(dir, 'vectors') },
    mcp: { auto_ingest: false },
  }
}

interface Prepared {
  readonly file: string
  readonly summary: ModuleSummary
  readonly vector: Float32Array
  readonly document: string
  readonly packed: PackedText
}

function preparedOf(summary: ModuleSummary, file: string, lexicon: Lexicon): Prepared {
  const vector = documentVector(moduleFields(summary), lexicon)
  const document = vectorDocument(summary, INCLUDE)
  return { file, summary, vector, document, packed: packText(document) }
}

function entryOf(
  { file, summary: sample, vector, document, packed }: Prepared,
  repository: string,
  ref: string,
) {
  const summary: ModuleSummary = { ...sample, repository, ref, path: '.' }
  const id = moduleId(repository, ref, '.')
  const digest = createHash('sha256').update(id).digest('hex')
  const written = { summary_file: file, summary_sha256: digest, options_digest: '' }
  const record = recordOf(id, summary, {
    ...written,
    last_updated: '2026-01-01T00:00:00.000Z',
    embedded: true,
  })
  const { path, provider, kind, last_updated } = record
  const lists = { providers: record.providers.join(','), tags: record.tags.join(',') }
  const inner = { kind, latest: ref === NEWEST, document_sha256: documentDigest(document) }
  const metadata = { repository, ref, path, provider, ...lists, last_updated, ...inner }
  return { record, item: { id, document: packed, metadata, vector } satisfies VectorItem }
}

/** With a README as long as what several modules say of themselves. */
export function withReadme(sample: ModuleSummary, at: number): ModuleSummary {
  const others = Array.from({ length: TOLD }, (_, n) => OWN_SUMMARIES[(at + n) % OWN_SUMMARIES.length])
  const told = others.flatMap((other) => (other ? [vectorDocument(other, INCLUDE)] : []))
  return { ...sample, readme_content: told.join('\n\n') }
}
