import type { Rows, Tx } from '../domain/rows.ts'
import { commitWithFiles, lookAtFile } from './document-commit.ts'
import { openRows } from './transaction.ts'
import { append, longTexts, publish, type StoreState, transact } from './writer.ts'

type Resolve<T> = (answer: T) => void
type Reject = (thrown: unknown) => void

/** Whether the file moved, or still waits for the newest version; costs one stat. */
export function needsLook(state: StoreState): boolean {
  return state.markdown.moved() || !state.ledger.meta.materialized
}

/** One mutation inside the queue; it waits there only when files are involved. Settles its caller itself. */
export function mutation<T>(
  state: StoreState,
  work: (tx: Tx) => T,
  resolve: Resolve<T>,
  reject: Reject,
): void | Promise<void> {
  try {
    state.assertUsable()
    if (!needsLook(state)) return run(state, work, resolve, reject)
  } catch (thrown) {
    return reject(thrown)
  }
  return lookAtFile(state)
    .then(() => run(state, work, resolve, reject))
    .catch(reject)
}

function run<T>(
  state: StoreState,
  work: (tx: Tx) => T,
  resolve: Resolve<T>,
  reject: Reject,
): void | Promise<void> {
  const { answer, draft } = transact(state, work)
  if (draft.document || longTexts(state, draft).length > 0) {
    return commitWithFiles(state, draft, draft.document).then(() => resolve(answer), reject)
  }
  append(state, draft, state.ledger.meta.materialized)
  state.flusher.whenDurable(state.ledger.meta.seq, (poison) => {
    if (poison) return reject(poison)
    publish(state, draft)
    resolve(answer)
  })
}

/** One read inside the queue: it sees what is committed in memory, and answers when that is on disk. */
export function reading<T>(
  state: StoreState,
  work: (rows: Rows) => T,
  resolve: Resolve<T>,
  reject: Reject,
): void {
  const { rows, end } = openRows(state)
  try {
    state.assertUsable()
    const answer = work(rows)
    state.flusher.whenDurable(state.ledger.meta.seq, (poison) => (poison ? reject(poison) : resolve(answer)))
  } catch (thrown) {
    reject(thrown)
  } finally {
    end()
  }
}
