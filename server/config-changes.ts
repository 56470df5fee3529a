import { watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Config } from './config.ts'

/** Editors write a file in several steps, which count as one change. */
const SETTLE_MS = 150

/** Resolves true at the next change of the configuration file, false when the server must end. */
export type NextChange = () => Promise<boolean>

/**
 * Watches the file of `config` if `http.reload` is set, until `signal` aborts. One watch serves all changes: one that
 * happens before it is asked for is not missed.
 */
export function watchConfig(config: Config, signal: AbortSignal): NextChange {
  const ended = new Promise<boolean>((resolve) => {
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  const { file } = config
  if (!config.http.reload || file === undefined) return () => ended
  let isChanged = false
  let wake = (): void => {}
  watchFile(file, signal, () => {
    isChanged = true
    wake()
  })
  return async () => {
    const changed = new Promise<boolean>((resolve) => {
      wake = () => resolve(true)
      if (isChanged) wake()
    })
    const goesOn = await Promise.race([ended, changed])
    isChanged = false // before the file is read
    return goesOn
  }
}

/**
 * Calls `onChange` when `file` is changed, replaced or removed, until `signal` aborts. An empty file was truncated for
 * rewriting, so its next change counts. Watches the folder, because many editors replace a file.
 */
function watchFile(file: string, signal: AbortSignal, onChange: () => void): void {
  let settle: NodeJS.Timeout | undefined
  const watcher = watch(dirname(file), { signal, persistent: false }, (_, name) => {
    if (name !== null && name !== basename(file)) return
    clearTimeout(settle)
    settle = setTimeout(async () => {
      if (!(await isEmpty(file))) onChange()
    }, SETTLE_MS)
  })
  signal.addEventListener('abort', () => clearTimeout(settle), { once: true })
  watcher.on('error', () => {}) // the folder was removed: no more changes
}

async function isEmpty(file: string): Promise<boolean> {
  return await stat(file).then(
    ({ size }) => size === 0,
    () => false,
  )
}
