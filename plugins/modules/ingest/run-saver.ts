import type { RepositoryPlan } from './plan.ts'
import type { RunRequest } from './run.ts'
import type { RunProgress } from './run-progress.ts'

/** Saves the index while a run reads, so that readers find what is done and a killed run keeps what it had. */
export interface RunSaver {
  /** A repository was read, or failed: saves soon. Errors: those of the save that was due. */
  read(repository: RepositoryPlan): Promise<void>
  /** Resolves when no save is running or waiting. Errors: those of the last save. */
  settled(): Promise<void>
}

/** Between two saves of what readers had before. */
const SAVE_EVERY_MS = 5000
/** Saves of new repositories take at most this share of a run. */
const SAVE_SHARE = 1 / 20

/** How often a save that had to wait is tried. */
const LOOK_EVERY_MS = 100

/** One save at a time. A repository that readers did not have is saved as soon as the share of time allows. */
export function createRunSaver({
  progress,
  now,
  save,
}: {
  readonly progress: RunProgress
  readonly now: RunRequest['now']
  save(): Promise<void>
}): RunSaver {
  const clock = (): number => now().getTime()
  let last = clock()
  let dueMs = last
  let saving: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const start = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    last = clock()
    dueMs = Number.POSITIVE_INFINITY // until this save has ended
    saving = saving.then(async () => {
      const began = clock()
      await save()
      dueMs = clock() + (clock() - began) / SAVE_SHARE
    })
    return saving
  }
  const later = (): void => {
    if (clock() >= dueMs)
      start().catch(() => undefined) // `settled` gives the error
    else timer = setTimeout(later, LOOK_EVERY_MS)
  }
  return {
    async read(repository) {
      progress.read(repository)
      if (progress.isWhole()) return // what comes next saves all of it
      if (clock() - last >= SAVE_EVERY_MS || (progress.isNew(repository) && clock() >= dueMs)) return start()
      if (progress.isNew(repository)) timer ??= setTimeout(later, LOOK_EVERY_MS)
    },
    async settled() {
      clearTimeout(timer)
      timer = undefined
      await saving
    },
  }
}
