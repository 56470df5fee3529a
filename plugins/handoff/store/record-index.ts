import { type RecordRow, rowOf } from '../domain/record-row.ts'
import type { Problem } from './read-record.ts'
import type { Store } from './store.ts'

/** Rows of every record of a store and the files that are none. */
export interface IndexView {
  readonly rows: readonly RecordRow[]
  readonly problems: readonly Problem[]
}

export interface RecordIndex {
  view(): Promise<IndexView>
}

/** An index that reads the store. */
export function createIndex(store: Store): RecordIndex {
  return {
    async view() {
      const rows: RecordRow[] = []
      const problems: Problem[] = []
      for (const id of await store.ids()) {
        const found = await store.read(id)
        if (found?.kind === 'record') rows.push(rowOf(found.record, found.path, found.mtimeMs))
        else if (found) problems.push(found.problem)
      }
      return { rows, problems }
    },
  }
}
