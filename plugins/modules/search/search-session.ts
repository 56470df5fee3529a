import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupVersions, type ModuleVersions } from '../catalog/versions.ts'
import type { EmbeddingOptions } from '../config.ts'
import type { ModuleIndex } from '../output/module-index.ts'
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
export interface SearchPlace {
  readonly outputDir: string
  readonly embedding: EmbeddingOptions
  /** Beside it stands the user's own lexicon. */
  readonly configFile: string | undefined
}

export interface SearchWorld {
  /** Where relative paths of the configuration start. */
  readonly workingDirectory: string
  readonly env: Readonly<Record<string, string | undefined>>
  now(): Date
}

/**
 * What a search of one place stands on. Each part is opened when it is first asked for and kept as long as what it was
 * made from is the same. The server keeps the stand of its own configuration; whoever opens another one closes it.
 */
export interface SearchStand {
  readonly place: SearchPlace
  lexicon(): Promise<Lexicon>
  store(): Promise<VectorStore>
  embedder(lexicon: Lexicon): Promise<ModuleEmbedder>
  /** The records of an index by module. */
  modules(index: ModuleIndex): Promise<readonly ModuleVersions[]>
  /** One document per module, its latest ref. */
  latestKeywords(index: ModuleIndex, lexicon: Lexicon): Promise<KeywordIndex>
  /** One document per record; made in memory. */
  allKeywords(index: ModuleIndex, lexicon: Lexicon): Promise<KeywordIndex>
  close(): Promise<void>
}

/** A stand on `place`; opens nothing yet. */
export function createSearchStand(world: SearchWorld, place: SearchPlace): SearchStand {
  const { workingDirectory, env } = world
  const { outputDir, embedding, configFile } = place
  const load = (record: { readonly summary_file: string }) => loadSummary(outputDir, record.summary_file)
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
      await nextTurn() // a large index was just parsed; others had to wait long enough
      return groupVersions(index, index.records)
    })

  return {
    place,
    async lexicon() {
      const text = await readUserLexicon(configFile)
      return lexicons([text], async () => lexiconOf(text))
    },
    store: () => stores([], () => noted(openStore(embedding, workingDirectory, () => world.now()))),
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
