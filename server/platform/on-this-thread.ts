/** So many short operations of one turn of the event loop are done on this thread. */
const AT_ONCE = 64

let done = 0

/**
 * Whether the next short operation on a file may be done on this thread, where it costs a half or less of what a turn
 * through the thread pool costs. After 64 in one turn of the event loop the others take the thread pool, so that a caller that
 * looks at thousands of files, one after another, does not hold the loop up.
 */
export function isForThisThread(): boolean {
  if (done === 0) setImmediate(startAgain)
  done += 1
  return done <= AT_ONCE
}

function startAgain(): void {
  done = 0
}
