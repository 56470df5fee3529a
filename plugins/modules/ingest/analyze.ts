import { withScratchFolder } from '../../../server/plugin.ts'
import type { RepositoryEntry } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { readRepository } from './read-repository.ts'
import { type Failure, inPlaceOrder } from './report.ts'
import { planRun, type Run, type RunRequest } from './run.ts'

export interface Analysis {
  readonly summaries: readonly ModuleSummary[]
  readonly failures: readonly Failure[]
}

/** Summaries of one repository. Clone and caches are in a temporary directory, which is removed. */
export async function analyze(
  entry: RepositoryEntry,
  context: Omit<RunRequest, 'entries' | 'outputDir' | 'cloneDir'>,
): Promise<Analysis> {
  const summaries: ModuleSummary[] = []
  return await withScratchFolder('satchel-analyze', async (dir) => {
    const request = { ...context, entries: [entry], outputDir: dir, cloneDir: dir }
    const run: Run = {
      ...request,
      ...planRun(request),
      output: collecting(summaries),
      workDir: dir,
      say: (_repository, share, message) => context.progress(share, 1, message),
    }
    for (const repository of run.plan.repositories) await readRepository(repository, run)
    context.signal.throwIfAborted()
    return { summaries, failures: inPlaceOrder(run.tally.failures) }
  })
}

function collecting(summaries: ModuleSummary[]): Run['output'] {
  return {
    expect: () => undefined,
    earlier: async () => undefined,
    async take(summary) {
      summaries.push(summary)
    },
    commitBefore: () => undefined,
    done: () => undefined,
    flush: async () => undefined,
    ended: () => undefined,
    saw: () => undefined,
    listed: () => undefined,
  }
}
