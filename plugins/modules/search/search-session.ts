import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupVersions, type ModuleVersions } from '../catalog/versions.ts'
import type { EmbeddingOptions } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { buildFrom, openKeywordIndex } from './keyword-file.ts'
import type { KeywordIndex } from './keyword-index.ts'
import { lastMade } from './last-made.ts'
import type { Lexicon } from './lexicon.ts'
import { lexiconOf, readUserLexicon } from './lexicon-file.ts'
import type { ModuleEmbedder } from './module-embedder.ts'
import { openEmbedder } from './open-embedder.ts'
import { openStore } from './open-store.ts'
import type { VectorStore } from './vector-store.ts'

/** Which summaries and vectors a search reads. */
export interface SearchTarget {
  readonly outputDir: string
  readonly embedding: EmbeddingOptions
  /** The user's lexicon is read from the folder of this file. */
  readonly configFile: string | undefined
}

export interface SearchEnvironment {
  /** Base of relative paths in the configuration. */
  readonly workingDirectory: string
  readonly env: Readonly<Record<string, string | undefined>>
  now(): Date
}

/**
 * The open parts behind searches of one target: lexicon, vector store, embedder, keyword indexes. Each part is opened
 * on first use and reused until its source changes. The server keeps one session for its own configuration; the caller
 * that opens another one closes it.
 */
export interface SearchSession {
  readonly target: SearchTarget
  lexicon(): Promise<Lexicon>
  store(): Promise<VectorStore>
  embedder(lexicon: Lexicon): Promise<ModuleEmbedder>
  summary(record: IndexRecord): Promise<ModuleSummary>
  /** The records of an index by module. */
  modules(index: ModuleIndex): Promise<readonly ModuleVersions[]>
  /** One document per module, its latest ref. */
  latestKeywords(index: ModuleIndex, lexicon: Lexicon): Promise<KeywordIndex>
  /** One document per record; built in memory. */
  allKeywords(index: ModuleIndex, lexicon: Lexicon): Promise<KeywordIndex>
  close(): Promise<void>
}

/** A session over `target`; opens nothing yet. */
export function createSearchSession(environment: SearchEnvironment, target: SearchTarget): SearchSession {
  const { workingDirectory, env } = environment
  const { outputDir, embedding, configFile } = target
  const load = (record: IndexRecord) => loadSummary(outputDir, record.summary_file)
  const lexicons = lastMade<Lexicon>()
  const stores = lastMade<VectorStore>()
  const embedders = lastMade<ModuleEmbedder>()
  const groups = lastMade<readonly ModuleVersions[]>()
  const latest = lastMade<KeywordIndex>()
  const all = lastMade<KeywordIndex>()
  const opened = new Set<{ close(): Promise<void> }>()
  const noted = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const part = await opening
    opened.add(part)
    return part
  }
  const modules = (index: ModuleIndex) =>
    groups([index], async () => {
      await nextTurn() // parsing a large index blocked other work: let it run first
      return groupVersions(index, index.records)
    })

  return {
    target,
    summary: load,
    async lexicon() {
      const text = await readUserLexicon(configFile)
      return lexicons([text], async () => lexiconOf(text))
    },
    store: () => stores([], () => noted(openStore(embedding, workingDirectory))),
    embedder: (lexicon) =>
      embedders([lexicon], () => noted(openEmbedder(embedding, { lexicon, workingDirectory, env }))),
    modules,
    latestKeywords: (index, lexicon) =>
      latest([index, lexicon], async () => {
        const records = (await modules(index)).map((module) => module.latest)
        return openKeywordIndex(outputDir, records, load, lexicon)
      }),
    allKeywords: (index, lexicon) => all([index, lexicon], () => buildFrom(index.records, load, lexicon)),
    async close() {
      await Promise.all([...opened].map((part) => part.close()))
    },
  }
}
