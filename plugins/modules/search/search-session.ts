import { join } from 'node:path'
import { keepRecent, type Log, realDisk } from '../../../server/plugin.ts'
import type { EmbeddingOptions } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { contentOf } from '../output/index-content.ts'
import { loadIndexHead } from '../output/index-file.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { DamagedFile } from '../segments/section-file.ts'
import type { VectorPlace } from './database-vectors.ts'
import { lastMade } from './last-made.ts'
import type { Lexicon } from './lexicon.ts'
import { lexiconOf, readUserLexicon } from './lexicon-file.ts'
import type { ModuleEmbedder } from './module-embedder.ts'
import { openEmbedder } from './open-embedder.ts'
import { openStore } from './open-store.ts'
import { closeLater, emptySearchIndex, type SearchIndex } from './search-index.ts'
import { keptSearchIndex, openSearchIndex } from './search-index-file.ts'
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
  readonly log: Pick<Log, 'warn'>
  now(): Date
  /** Where the database keeps the catalogue of the target; absent: it is files. */
  readonly place?: VectorPlace | undefined
}

/**
 * The open parts behind searches of one target: lexicon, vector store, embedder, search index. Each part is opened
 * on first use and reused until its source changes. The server keeps one session for its own configuration; the caller
 * that opens another one closes it.
 */
export interface SearchSession {
  readonly target: SearchTarget
  lexicon(): Promise<Lexicon>
  store(): Promise<VectorStore>
  embedder(lexicon: Lexicon): Promise<ModuleEmbedder>
  summary(record: Pick<IndexRecord, 'summary_file'>): Promise<ModuleSummary>
  /**
   * Runs a search over the index of the modules as they are now; `loadModules` is called only when the one on disk is of
   * another state. When the search meets a damaged part of it, the index is rebuilt and the search runs again.
   * Errors: those of `loadModules` and of the search.
   */
  withIndex<T>(
    loadModules: LoadModules,
    search: (index: SearchIndex, lexicon: Lexicon) => Promise<T>,
  ): Promise<T>
  close(): Promise<void>
}

/** The module index; undefined where nothing has been ingested. */
type LoadModules = () => Promise<ModuleIndex | undefined>

/** A session over `target`; opens nothing yet. */
export function createSearchSession(environment: SearchEnvironment, target: SearchTarget): SearchSession {
  const { workingDirectory, env, place } = environment
  const { outputDir, embedding, configFile } = target
  const lexicons = lastMade<Lexicon>()
  const stores = lastMade<VectorStore>()
  const embedders = lastMade<ModuleEmbedder>()
  const indexes = createIndexHolder(outputDir, environment.log)
  const summaries = recentSummaries(outputDir)
  const opened = new Set<{ close(): Promise<void> }>()
  const noted = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const part = await opening
    opened.add(part)
    return part
  }
  const session: SearchSession = {
    target,
    summary: ({ summary_file }) => summaries(summary_file),
    async lexicon() {
      const text = await readUserLexicon(configFile)
      return lexicons([text], async () => lexiconOf(text))
    },
    store: () => stores([], () => noted(openStore(embedding, workingDirectory, { place }))),
    embedder: (lexicon) =>
      embedders([lexicon], () => noted(openEmbedder(embedding, { lexicon, workingDirectory, env }))),
    async withIndex(loadModules, search) {
      const lexicon = await session.lexicon()
      const index = await indexes.current(lexicon, loadModules)
      try {
        return await search(index, lexicon)
      } catch (thrown) {
        if (!(thrown instanceof DamagedFile)) throw thrown
        await indexes.replace(index, lexicon, loadModules)
        return await search(await indexes.current(lexicon, loadModules), lexicon)
      }
    },
    async close() {
      indexes.forget()
      await Promise.all([...opened].map((part) => part.close()))
    },
  }
  return session
}

/** Summaries that stay in memory while their files stay as they are. */
const SUMMARIES_KEPT = 64

function recentSummaries(outputDir: string): (name: string) => Promise<ModuleSummary> {
  const kept = keepRecent<string, Promise<ModuleSummary>>(SUMMARIES_KEPT)
  return async (name) => {
    const load = (): Promise<ModuleSummary> => loadSummary(outputDir, name)
    const stamp = await realDisk.stamp(join(outputDir, name))
    return stamp === undefined ? load() : kept.get(`${stamp} ${name}`, load)
  }
}

interface Held {
  readonly lexicon: Lexicon
  readonly index: SearchIndex
  /** What the head of the module index said before it was opened. */
  readonly content: string
}

/** An earlier version of satchel may have written the head, whose content is another text for the same modules. */
function isOf({ index, content }: Held, wanted: string): boolean {
  return index.source === wanted || (wanted !== '' && content === wanted)
}

/** Holds the index of an output directory while its modules stay the same; concurrent searches share one opening. */
function createIndexHolder(outputDir: string, log: SearchEnvironment['log']) {
  const load = (record: IndexRecord): Promise<ModuleSummary> => loadSummary(outputDir, record.summary_file)
  let held: Held | undefined
  let opening:
    | { readonly content: string; readonly lexicon: Lexicon; readonly index: Promise<SearchIndex> }
    | undefined
  const hold = (next: Held): SearchIndex => {
    if (held && held.index !== next.index) closeLater(held.index, next.index)
    held = next
    return next.index
  }
  const contentNow = (): string => loadIndexHead(outputDir)?.content ?? ''
  const updated = async (
    content: string,
    lexicon: Lexicon,
    before: SearchIndex | undefined,
    loadModules: LoadModules,
  ): Promise<SearchIndex> => {
    const modules = await loadModules()
    if (!modules) return emptySearchIndex(lexicon)
    if (before?.source === contentOf(modules)) return before
    return await keptSearchIndex({ outputDir, content, log }, before, { index: modules, lexicon, load })
  }
  const open = async (content: string, lexicon: Lexicon, loadModules: LoadModules): Promise<SearchIndex> => {
    const stored = openSearchIndex(outputDir, lexicon)
    if (stored?.source === content) return stored
    const before = held?.lexicon === lexicon ? held.index : undefined
    if (before && stored) closeLater(stored, before)
    return await updated(content, lexicon, before ?? stored, loadModules)
  }
  const rebuild = async (lexicon: Lexicon, loadModules: LoadModules): Promise<void> => {
    const content = contentNow()
    hold({ lexicon, content, index: await updated(content, lexicon, undefined, loadModules) })
  }
  let rebuilding: Promise<void> | undefined
  return {
    async current(lexicon: Lexicon, loadModules: LoadModules): Promise<SearchIndex> {
      const content = contentNow()
      if (held?.lexicon === lexicon && isOf(held, content)) return held.index
      if (opening?.content !== content || opening.lexicon !== lexicon)
        opening = { content, lexicon, index: open(content, lexicon, loadModules) }
      const mine = opening
      try {
        return hold({ lexicon, content, index: await mine.index })
      } finally {
        if (opening === mine) opening = undefined
      }
    },
    /** Rebuilds an index that is damaged; searches that met the damage share it. */
    async replace(damaged: SearchIndex, lexicon: Lexicon, loadModules: LoadModules): Promise<void> {
      if (held?.index !== damaged) return
      rebuilding ??= rebuild(lexicon, loadModules).finally(() => {
        rebuilding = undefined
      })
      await rebuilding
    },
    forget(): void {
      if (held) closeLater(held.index, undefined)
      held = undefined
    },
  }
}
