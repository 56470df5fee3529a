import type { ProcessLock } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { follow } from '../shared/follow.ts'
import { loadFollowed, saveFollowed } from '../shared/followed-state.ts'
import type { Run, RunRequest, SharedRun } from './run.ts'
import type { Claimed } from './shared-run.ts'

/** The output directory of a run as a copy of a catalogue. */
export interface SharedCopy {
  /** The change that the directory had when the run began. */
  readonly change: number
  /** Tells the catalogue that a run ended. What was published is followed the next time. */
  finish(run: Pick<Run, 'reader' | 'now'>, claimed: Claimed | undefined): Promise<void>
}

/**
 * Brings the directory up to date and notes that a run writes it: what a run that is killed has not published is removed by
 * the next one, which follows from the start.
 */
export async function openCopy(
  { rows, catalogue }: SharedRun,
  { outputDir, disk }: Pick<RunRequest, 'outputDir' | 'disk'>,
  lock: Pick<ProcessLock, 'holds'>,
): Promise<SharedCopy> {
  const beforeCommit = (): void => {
    if (!lock.holds()) throw refusals.ingest_running()
  }
  await rows.createCatalogue()
  const { change } = await follow({ rows, catalogue, outputDir, disk, beforeCommit })
  const state = await loadFollowed(outputDir, disk)
  const note = async (dirty: boolean): Promise<void> => {
    beforeCommit()
    if (state) await saveFollowed(outputDir, { ...state, dirty }, disk)
  }
  await note(true)
  return {
    change,
    async finish({ reader, now }, claimed) {
      await rows.finish({ parser_version: reader.parserVersion, finished_at: now().toISOString() })
      await rows.removeUnnamed()
      if (claimed?.isLeft === false) await note(false)
    },
  }
}
