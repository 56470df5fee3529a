import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../../server/plugin.ts'
import type { RepositoryEntry } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { Trust } from '../git/admission.ts'
import { RETRY_DELAYS_MS } from '../git/repository.ts'
import { openParseCache } from '../output/parse-cache.ts'
import type { ModuleReader } from './module-reader.ts'
import { planRepositories } from './plan.ts'
import { readRepository, type Tally } from './read-repository.ts'
import { type Failure, inPlaceOrder } from './report.ts'

export interface AnalyzeMeans {
  readonly trust: Trust
  readonly workingDirectory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly log: Log
  readonly reader: ModuleReader
  progress(done: number, total: number, message: string): void
}

export interface Analysis {
  readonly summaries: readonly ModuleSummary[]
  readonly failures: readonly Failure[]
}

/** Summaries of one repository; its clone lies in a temporary directory, and nothing is left behind. */
export async function analyze(entry: RepositoryEntry, means: AnalyzeMeans): Promise<Analysis> {
  const { reader, signal } = means
  const plan = planRepositories([entry], {
    recursive: false,
    workingDirectory: means.workingDirectory,
    parserVersion: reader.parserVersion,
  })
  const summaries: ModuleSummary[] = []
  const tally: Tally = {
    refs: { processed: 0, unchanged: 0, empty: 0, failed: 0 },
    failures: [...plan.failures],
    warnings: [],
  }
  const workDir = await mkdtemp(join(tmpdir(), 'satchel-analyze-'))
  try {
    for (const repository of plan.repositories) {
      await readRepository(repository, {
        ...means,
        signal,
        workDir,
        retryDelaysMs: RETRY_DELAYS_MS,
        tally,
        output: collecting(summaries),
        wholeTrees: false,
        storePath: () => join(workDir, 'store.git'),
        lockStore: async () => ({ release: async () => undefined }), // nobody else knows the directory
        openCache: (store) => openParseCache(`${store}.ndjson`, reader.parserVersion),
        say: (message, share) => means.progress(share, 1, message),
      })
    }
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
  signal.throwIfAborted()
  return { summaries, failures: inPlaceOrder(tally.failures) }
}

function collecting(summaries: ModuleSummary[]) {
  return {
    expect: () => undefined,
    earlier: async () => undefined,
    async take(summary: ModuleSummary): Promise<void> {
      summaries.push(summary)
    },
    done: () => undefined,
    flush: async () => undefined,
    saw: () => undefined,
    listed: () => undefined,
  }
}
