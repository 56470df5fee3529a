import { stat } from 'node:fs/promises'
import { type Measurement, orMissing, type StoreLag } from '../../server/plugin.ts'
import { loadIndexHead } from './output/index-file.ts'
import { searchIndexFolder } from './search/search-index-file.ts'

interface Measured {
  readonly outputDir: string
  /** Ingests at work in this process. */
  readonly running: number
  readonly now: Date
  /** Of a catalogue in a database. */
  lag?(): Promise<StoreLag>
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
    ...(await behind(measured)),
    ...age('ingest_age_seconds', 'Time since the last ingest ended.', now, finishedAt ?? undefined),
    ...age('index_age_seconds', 'Time since the search index was written.', now, index?.mtime),
  ]
}

/** Nothing while the database does not answer, which the host's own numbers tell. */
async function behind({ lag }: Measured): Promise<readonly Measurement[]> {
  const found = await lag?.().catch(() => undefined)
  if (!found) return []
  return [
    {
      name: 'catalogue_behind_changes',
      kind: 'gauge',
      help: 'Changes of the catalogue in the database that this machine has not followed.',
      value: found.changes,
    },
    {
      name: 'catalogue_behind_seconds',
      kind: 'gauge',
      unit: 'seconds',
      help: 'Time since this machine last had all of them; 0 while it has.',
      value: found.seconds,
    },
  ]
}

function age(name: string, help: string, now: Date, since: Date | string | undefined): Measurement[] {
  if (since === undefined) return []
  const ms = now.getTime() - new Date(since).getTime()
  return [{ name, kind: 'gauge', unit: 'seconds', help, value: Math.max(0, ms / 1000) }]
}
