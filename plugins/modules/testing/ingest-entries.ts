import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type RepositoryEntry, repositoryEntry } from '../config.ts'
import type { Trust } from '../git/admission.ts'
import { ingest } from '../ingest/ingest.ts'
import { openModuleReader } from '../ingest/module-reader.ts'
import type { IngestReport } from '../ingest/report.ts'

export interface IngestHow {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absent: the operator's. */
  readonly trust?: Trust
  readonly signal?: AbortSignal
  readonly prune?: boolean
}

/** Ingests of these entries, without a second try. */
export type Ingesting = (
  entries: readonly Partial<RepositoryEntry>[],
  how: IngestHow,
) => Promise<IngestReport>

/** Ingests that end in `out` and `clones` of a folder. */
export async function openIngests(t: TestContext, dir: string): Promise<Ingesting> {
  const reader = await openModuleReader()
  t.after(() => reader.close())
  return async (entries, { env, trust = { kind: 'operator' }, signal, prune = false }) => {
    const { report } = await ingest({
      entries: entries.map((entry) => repositoryEntry.parse(entry)),
      outputDir: join(dir, 'out'),
      cloneDir: join(dir, 'clones'),
      prune,
      trust,
      workingDirectory: dir,
      env,
      now: () => new Date(),
      signal: signal ?? new AbortController().signal,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      reader,
      retryDelaysMs: [],
      progress: () => undefined,
    })
    return report
  }
}
