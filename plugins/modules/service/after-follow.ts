import type { Host } from '../../../server/plugin.ts'
import { changedUris } from '../catalog/changed-uris.ts'
import type { EmbeddingOptions } from '../config.ts'
import { withVector } from '../ingest/run-vectors.ts'
import { keepContent } from '../output/index-content.ts'
import { saveIndex } from '../output/index-file.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { databaseVectors, type VectorPlace } from '../search/database-vectors.ts'
import { loadLexicon } from '../search/lexicon-file.ts'
import { searchIndexSaver } from '../search/search-index-file.ts'
import type { OpenVectors, VectorReport } from '../search/vector-update.ts'
import type { FollowedFolder } from './shared-catalogue.ts'

interface Parts {
  readonly host: Host
  readonly embedding: EmbeddingOptions
  readonly openVectors: OpenVectors
  readonly place: VectorPlace | undefined
}

/**
 * What an ingest would have made besides: the search index, and the vectors of this machine. Those of a server, or
 * in the database, are written by the ingest alone. The caller holds the lock of the folder. Never rejects: what failed is made by a search, or the next time.
 */
export async function afterFollow(parts: Parts, folder: FollowedFolder): Promise<void> {
  const { host } = parts
  const { index, earlier, changed, outputDir } = folder
  if (index === undefined) return
  const load = (record: IndexRecord) => loadSummary(outputDir, record.summary_file)
  try {
    const embedded = await withVectors(parts, folder, index)
    const lexicon = () => loadLexicon(host.configFile)
    await searchIndexSaver(lexicon)({ outputDir, index: embedded, earlier, load, disk: undefined })
  } catch (error) {
    host.log.warn('what a search needs of the followed catalogue could not be made', { error })
  }
  const ids = new Set(changed)
  const records = index.records.filter(({ id }) => ids.has(id))
  for (const uri of changedUris(index, records)) host.resourceChanged(uri)
}

async function withVectors(
  { host, embedding, openVectors, place }: Parts,
  { earlier, changed, outputDir }: FollowedFolder,
  index: ModuleIndex,
): Promise<ModuleIndex> {
  if (!embedding.enabled || embedding.vectordb_host) return index
  if (place && (await databaseVectors(place, embedding.collection_name).header())) return index
  const vectors = await openVectors(embedding, 'operator', host.signal)
  const report = await vectors.update({
    index,
    earlier,
    records: index.records,
    touched: new Set(changed),
    removed: index.stale_vectors,
    load: (record) => loadSummary(outputDir, record.summary_file),
    signal: host.signal,
    progress: () => {},
  })
  const { embedded, failures } = report
  if (failures.length > 0)
    host.log.warn('modules of the followed catalogue have no vector', { count: failures.length })
  const looked = new Set(report.records.map(({ id }) => id))
  const records = index.records.map((record) => (looked.has(record.id) ? noted(record, embedded) : record))
  const isSame = records.every((record, at) => record === index.records[at])
  if (isSame && index.had_vectors && index.stale_vectors.length === 0) return index
  const next = { ...index, records, stale_vectors: [], had_vectors: true }
  keepContent(next, index)
  await saveIndex(outputDir, next, { before: earlier })
  return next
}

/** The same object where its vector is as it was. */
function noted(record: IndexRecord, embedded: VectorReport['embedded']): IndexRecord {
  const { id, document_mark: mark } = record
  const isSame = record.embedded === embedded.has(id) && mark === embedded.get(id)
  return isSame ? record : withVector(record, embedded)
}
