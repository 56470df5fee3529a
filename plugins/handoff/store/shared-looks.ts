/**
 * One look at a time, which begins after the calls that share it: it sees what was written before each of them. A call waits
 * for the look that has not begun, with others of the same time limit only.
 */
export function sharedLooks<T>(look: (budgetMs: number) => Promise<T>): (budgetMs: number) => Promise<T> {
  let queue: Promise<unknown> = Promise.resolve()
  /** The look that has not begun. */
  let waiting: { readonly budgetMs: number; readonly result: Promise<T> } | undefined

  return (budgetMs) => {
    if (waiting?.budgetMs === budgetMs) return waiting.result
    const begin = (): Promise<T> => {
      if (waiting?.result === result) waiting = undefined
      return look(budgetMs)
    }
    const result: Promise<T> = queue.then(begin)
    waiting = { budgetMs, result }
    queue = result.catch(() => undefined)
    return result
  }
}
