import { stat } from 'node:fs/promises'
import { type Measurement, orMissing } from '../../server/plugin.ts'
import { loadIndexHead } from './output/module-index.ts'
import { searchIndexFolder } from './search/search-index-file.ts'

interface Measured {
  readonly outputDir: string
  /** Ingests at work in this process. */
  readonly running: number
  readonly now: Date
}

/** The numbers of the catalogue, for `/metrics`; no age before the first ingest. */
export async function moduleMeasurements(measured: Measured): Promise<readonly Measurement[]> {
  const { outputDir, running, now } = measured
  const finishedAt = loadIndexHead(outputDir)?.finished_at
  const index = await orMissing(stat(searchIndexFolder(outputDir)))
  return [
    {
      name: 'ingests_running',
      kind: 'gauge',
      help: 'Ingests at work that were called as tasks.',
      value: running,
    },
    ...age('ingest_age_seconds', 'Time since the last ingest ended.', now, finishedAt ?? undefined),
    ...age('index_age_seconds', 'Time since the search index was written.', now, index?.mtime),
  ]
}

function age(name: string, help: string, now: Date, since: Date | string | undefined): Measurement[] {
  if (since === undefined) return []
  const ms = now.getTime() - new Date(since).getTime()
  return [{ name, kind: 'gauge', unit: 'seconds', help, value: Math.max(0, ms / 1000) }]
}
