import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 compile each function at its first call from now on, instead of interpreting it for some hundred calls. A server
 * that has just started and is asked by many callers is behind for seconds otherwise (decision 133). Lasts as long as the
 * process; functions that were compiled before stay as they are.
 */
export function compileAtFirstCall(): void {
  setFlagsFromString('--always-sparkplug')
}
