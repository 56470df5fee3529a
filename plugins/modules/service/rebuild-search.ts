import { resolve } from 'node:path'
import type { CallContext } from '../../../server/plugin.ts'
import type { RebuildSearch } from '../ingest/rebuild.ts'
import { loadIndex } from '../output/index-file.ts'
import type { IndexRecord } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { holdsStore } from '../search/embedded-store.ts'
import { loadLexicon } from '../search/lexicon-file.ts'
import { openEmbedder } from '../search/open-embedder.ts'
import { embeddedFolder, openStore } from '../search/open-store.ts'
import { replaceSearchIndex } from '../search/search-index-file.ts'
import { embedAnew } from '../search/vector-update.ts'
import { type ModuleService, vectorPlace } from './module-service.ts'

/**
 * Rebuilds the search index of `outputDir` and, if they belong to it and cost nothing, the vectors: those of
 * `vectordb-default`, in a file or on a server. The vectors of other strategies do not change.
 * Errors: `conflict`/`embedding_mismatch` for a store of another strategy.
 */
export function searchRebuilder(
  service: ModuleService,
  outputDir: string,
  { signal }: Pick<CallContext, 'signal'>,
): RebuildSearch {
  const { config, workingDirectory, host } = service
  return async (records) => {
    const lexicon = await loadLexicon(host.configFile)
    const load = (record: IndexRecord) => loadSummary(outputDir, record.summary_file)
    const index = await loadIndex(outputDir)
    if (!index) return undefined
    await replaceSearchIndex(outputDir, { index, load, lexicon })
    // The store belongs to the configured summaries; another folder's must not take their place.
    if (outputDir !== resolve(workingDirectory, config.output_dir)) return undefined
    if (!hasVectorsToRebuild(service)) return undefined
    const store = await openStore(config.embedding, workingDirectory, { place: vectorPlace(service.shared) })
    const embedder = await openEmbedder(config.embedding, { lexicon, workingDirectory, env: host.env })
    try {
      const work = { index, records, touched: new Set<string>(), removed: [], load, signal }
      const { header, items } = await embedAnew(embedder, config.embedding, { ...work, progress: () => {} })
      await store.replace(header, items)
      return new Set(items.map(({ id }) => id))
    } finally {
      await embedder.close()
      await store.close()
    }
  }
}

/** Whether the vectors follow from the summaries alone, and there are some or should be. */
function hasVectorsToRebuild({ config, workingDirectory }: ModuleService): boolean {
  const { embedding } = config
  if (embedding.strategy !== 'vectordb-default') return false
  if (embedding.enabled) return true
  return !embedding.vectordb_host && holdsStore(embeddedFolder(embedding, workingDirectory))
}
