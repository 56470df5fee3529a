/** Runs `action` after `ms` milliseconds; gives the function that calls it off. A test passes its own. */
export type After = (ms: number, action: () => void) => () => void

/** Timers of Node.js that do not keep the process alive. */
export const afterTimeout: After = (ms, action) => {
  const timer = setTimeout(action, ms).unref()
  return () => clearTimeout(timer)
}
