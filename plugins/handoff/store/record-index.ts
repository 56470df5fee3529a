import type { Disk } from '../../../server/plugin.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { createChangeReader } from './folder-changes.ts'
import {
  emptyState,
  FULL_PASS_EVERY_MS,
  type IndexState,
  loadState,
  refreshState,
  SEEN_WITHIN_MS,
  type Shortcomings,
  withoutFile,
} from './index-state.ts'
import type { Layout } from './layout.ts'
import { DamagedSegment } from './open-segment.ts'
import type { Problem } from './read-record.ts'
import type { FileTable } from './record-table.ts'
import { sharedLooks } from './shared-looks.ts'
import { asStoreError } from './store-error.ts'

/** Rows of every record of a store, by path, and its damaged files. */
export interface IndexView {
  readonly rows: readonly RecordRow[]
  readonly problems: readonly Problem[]
}

export type Question<T> = (table: FileTable) => Promise<T> | T
export type PartialAnswer<T> = Shortcomings & { readonly answer: T }

/** Caches what lists and searches need of records. Owned by the project; needs no closing. */
export interface RecordIndex {
  /**
   * Asks the table of the current records. A record that satchel wrote, in any process, is seen immediately, and so is
   * one that another program put in place by a rename. One that was edited in place is seen within 6 s; in a store of
   * more than 20,000 records later, when it is its turn. A question is asked again after damage to the index.
   * Errors: see `asStoreError`.
   */
  ask<T>(question: Question<T>): Promise<T>
  /**
   * As `ask`, but starts no read after `budgetMs`, for callers with a time limit. Reads the newest files first and keeps
   * what it read, so that the next call gets further.
   */
  askWithin<T>(budgetMs: number, question: Question<T>): Promise<PartialAnswer<T>>
  /** Everything, which takes time and memory for each record. */
  view(): Promise<IndexView>
  viewWithin(budgetMs: number): Promise<IndexView & Shortcomings>
}

/** A question is asked so often again after damage to the index. */
const MAX_DAMAGES = 30

/** The index of the store at `layout`. `now` is the clock of the file system's times. */
export function createIndex(disk: Disk, layout: Layout, now: () => number): RecordIndex {
  const store = { disk, layout, now, changes: createChangeReader(disk, layout) }
  let state: IndexState | undefined

  const refresh = async (budgetMs: number): Promise<IndexState> => {
    const folder = await disk.stat(layout.records)
    state =
      folder?.kind === 'directory'
        ? await refreshState(store, state ?? (await loadState(store)), {
            folderMs: folder.modifiedMs,
            budgetMs,
          })
        : undefined
    return state ?? emptyState()
  }
  const refreshed = sharedLooks((budgetMs) =>
    refresh(budgetMs).catch((thrown: unknown) => {
      throw asStoreError(thrown, layout)
    }),
  )
  const leaveOut = (file: string | undefined): void => {
    state = withoutFile(state ?? emptyState(), file)
  }
  return indexOf(refreshed, leaveOut, () => {
    if (state && now() - state.checkedMs > FULL_PASS_EVERY_MS) {
      // In the background, for a later call; a failure shows up there.
      state = { ...state, checkedMs: state.checkedMs - SEEN_WITHIN_MS }
      refreshed(Number.POSITIVE_INFINITY).catch(() => undefined)
    }
  })
}

/** The index over looks that bring it up to date. `leaveOut`: a file that is damaged; `answered`: after each whole answer. */
export function indexOf(
  refreshed: (budgetMs: number) => Promise<IndexState>,
  leaveOut: (file: string | undefined) => void,
  answered: () => void = () => {},
): RecordIndex {
  const askWithin = async <T>(budgetMs: number, question: Question<T>): Promise<PartialAnswer<T>> => {
    for (let damages = 0; ; damages++) {
      try {
        const { table, unread, unchecked } = await refreshed(budgetMs)
        return { answer: await question(table), unread, unchecked }
      } catch (thrown) {
        if (!(thrown instanceof DamagedSegment) || damages === MAX_DAMAGES) throw thrown
        leaveOut(thrown.file)
      }
    }
  }
  const ask = async <T>(question: Question<T>): Promise<T> => {
    const { answer } = await askWithin(Number.POSITIVE_INFINITY, question)
    answered()
    return answer
  }
  return {
    ask,
    askWithin,
    view: () => ask(viewOf),
    async viewWithin(budgetMs) {
      const { answer, ...missed } = await askWithin(budgetMs, viewOf)
      return { ...answer, ...missed }
    },
  }
}

/** Every row, by path, and every problem. */
async function viewOf(table: FileTable): Promise<IndexView> {
  const rows = await table.load([...table.records])
  return { rows: rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)), problems: table.problems() }
}
