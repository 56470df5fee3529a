import type { ModuleSummary } from '../domain/summary.ts'
import type { RemoteListing } from '../git/remote.ts'
import type { ChosenRef } from './choose-refs.ts'
import type { PlannedEntry } from './plan.ts'

/** Receives what a run reads, and knows what earlier runs read. */
export interface ReadingOutput {
  /** Announces the entries to come, so that their files can be checked early. */
  expect(repository: string, entries: readonly PlannedEntry[]): void
  /** The directories an earlier reading of this very commit with these options gave, if all of its files still exist. */
  earlier(repository: string, ref: ChosenRef, entry: PlannedEntry): Promise<readonly string[] | undefined>
  take(summary: ModuleSummary, entry: PlannedEntry): Promise<void>
  /** All summaries of this ref and entry have been taken. */
  done(repository: string, ref: ChosenRef, entry: PlannedEntry, directories: readonly string[]): void
  /** Resolves when everything taken and done so far is on disk. Errors: `unavailable`/`storage_failed`. */
  flush(): Promise<void>
  /** Every module directory of a ref that was read, asked for or not; called by a run that prunes. */
  saw(repository: string, ref: string, directories: ReadonlySet<string>): void
  /** The current refs of the remote. */
  listed(repository: string, name: string, listing: RemoteListing): void
}
