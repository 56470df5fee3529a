import { openPromise } from './platform/open-promise.ts'
import type { RealStdout } from './process-io.ts'

/** Maximum wait for the first request over stdio before the plugins are set up. */
const BOOT_DELAY_MS = 15

/** Resolves `written` at the first write to `stdout`, or after a delay, because the first request may need the plugins. */
export function firstAnswer(stdout: RealStdout): {
  readonly stdout: RealStdout
  readonly written: Promise<void>
} {
  const { promise: written, resolve: tell } = openPromise<void>()
  setTimeout(tell, BOOT_DELAY_MS)
  const write: RealStdout['write'] = (text, done) => {
    tell()
    return stdout.write(text, done)
  }
  return { stdout: { ...stdout, write }, written }
}
