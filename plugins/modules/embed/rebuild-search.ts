import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CallContext } from '../../../server/plugin.ts'
import type { IndexRecord } from '../index/module-index.ts'
import { loadSummary } from '../index/summary-files.ts'
import type { RebuildSearch } from '../rebuild.ts'
import { writeKeywordIndex } from '../search/keyword-file.ts'
import { loadLexicon } from '../search/lexicon-file.ts'
import type { ModuleService } from '../service.ts'
import { embeddedFolder, replaceEmbeddedStore } from '../store/open-store.ts'
import { openEmbedder } from './open-embedder.ts'
import { embedAnew, latestRecords } from './open-vectors.ts'

/**
 * Makes the keyword index of `outputDir` again and, where they belong to it and cost nothing, the vectors: those of
 * `vectordb-default` in the embedded store. Other strategies and a vector server are left as they are.
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
    await writeKeywordIndex(outputDir, await latestRecords({ outputDir, records }), load, lexicon)
    // The store belongs to the configured summaries; another folder's must not take their place.
    if (outputDir !== resolve(workingDirectory, config.output_dir)) return undefined
    const folder = vectorsToRebuild(service)
    if (folder === undefined) return undefined
    const embedder = await openEmbedder(config.embedding, { lexicon, workingDirectory, env: host.env })
    try {
      const work = { outputDir, records, touched: new Set<string>(), removed: [], load, signal }
      const { header, items } = await embedAnew(embedder, config.embedding, { ...work, progress: () => {} })
      await replaceEmbeddedStore(folder, () => host.now(), header, items)
      return new Set(items.map(({ id }) => id))
    } finally {
      await embedder.close()
    }
  }
}

/** The folder of the embedded store when its vectors follow from the summaries alone. */
function vectorsToRebuild({ config, workingDirectory }: ModuleService): string | undefined {
  const { embedding } = config
  if (embedding.vectordb_host || embedding.strategy !== 'vectordb-default') return undefined
  const folder = embeddedFolder(embedding, workingDirectory)
  return embedding.enabled || existsSync(join(folder, 'index.json')) ? folder : undefined
}
