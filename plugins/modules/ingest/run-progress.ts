import type { Disk } from '../../../server/plugin.ts'
import { type FailedPlace, loadRunState, type RunState, saveRunState } from '../output/run-state.ts'
import { storageFailure } from '../output/summary-files.ts'
import type { RepositoryPlan } from './plan.ts'
import { type Failure, inPlaceOrder } from './report.ts'
import type { Run, RunRequest } from './run.ts'
import type { SummaryOutput } from './summary-output.ts'

/** Says on disk which repositories a run has yet to read and what it could not read, for readers of the index. */
export interface RunProgress {
  /** Whether an index holds nothing of this repository yet. */
  isNew(repository: RepositoryPlan): boolean
  read(repository: RepositoryPlan): void
  /** Whether every repository of the run was read or failed. */
  isWhole(): boolean
  /** Runs `save` and then says what the index that it saved lacks. Errors: `unavailable`/`storage_failed`; those of `save`. */
  saving(save: () => Promise<void>): Promise<void>
  /** The run has ended, or was aborted: what is not read stays missing. */
  end(): Promise<void>
}

type Parts = Pick<Run, 'plan' | 'tally'> &
  Pick<RunRequest, 'outputDir' | 'now' | 'replacesState'> & {
    readonly output: Pick<SummaryOutput, 'records'>
    readonly disk: Disk | undefined
  }

/** Starts from what earlier runs left unread; writes nothing yet. */
export async function openRunProgress(parts: Parts): Promise<RunProgress> {
  const { outputDir, plan, output, now, tally, disk } = parts
  const earlier = parts.replacesState ? undefined : await loadRunState(outputDir)
  const own = new Set(plan.repositories.map(({ remote }) => remote.url))
  const refused = new Set(plan.failures.map(({ repository }) => repository))
  /** Those of the run that an index has. */
  const repositoriesOf = (): ReadonlySet<string> => {
    const repositories = new Set<string>()
    for (const { repository } of output.records.values())
      if (own.has(repository) || refused.has(repository)) repositories.add(repository)
    return repositories
  }
  const knownBefore = repositoriesOf()
  const isOther = ({ repository }: { readonly repository: string }): boolean =>
    !own.has(repository) && !refused.has(repository)
  const others = {
    waiting: earlier?.waiting.filter(isOther) ?? [],
    failed: earlier?.failed.filter(isOther) ?? [],
  }
  const unread = new Set(plan.repositories)
  const began_at = now().toISOString()
  let written: string | undefined

  const state = (ended_at: string | null): RunState => {
    const { failures } = tally
    const failed = failures.length === 0 ? [] : failedPlaces(failures, plan.repositories, repositoriesOf())
    const besides = [...others.waiting, ...others.failed].map(({ repository }) => repository)
    return {
      began_at,
      ended_at,
      repositories: new Set([...own, ...refused, ...besides]).size,
      waiting: [
        ...others.waiting,
        ...[...unread].map((one) => ({ ...placeOf(one), known: knownBefore.has(one.remote.url) })),
      ],
      failures: failed.length + others.failed.length,
      failed: [...others.failed, ...failed],
    }
  }
  const write = async (next: RunState): Promise<void> => {
    const text = JSON.stringify(next)
    if (text === written) return
    await saveRunState(outputDir, next, disk)
    written = text
  }
  return {
    isWhole: () => unread.size === 0,
    isNew: ({ remote }) => !knownBefore.has(remote.url),
    read: (repository) => void unread.delete(repository),
    async saving(save) {
      const next = state(null) // of the moment at which the caller took its index
      try {
        await save()
        await write(next)
      } catch (thrown) {
        throw storageFailure(thrown)
      }
    },
    end: () => write(state(now().toISOString())),
  }
}

function failedPlaces(
  failures: readonly Failure[],
  plans: readonly RepositoryPlan[],
  known: ReadonlySet<string>,
): FailedPlace[] {
  const names = new Map(plans.map((one) => [one.remote.url, placeOf(one).name]))
  return inPlaceOrder(failures).map(({ repository, ref, path, reason }) => ({
    ...{ repository, name: names.get(repository) ?? '', known: known.has(repository), reason },
    ...(ref !== undefined && { ref }),
    ...(path !== undefined && { path }),
  }))
}

function placeOf({ remote, entries }: RepositoryPlan): {
  readonly repository: string
  readonly name: string
} {
  return { repository: remote.url, name: entries[0]?.name ?? '' }
}
