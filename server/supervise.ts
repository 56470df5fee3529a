import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Log } from './contract/context.ts'
import type { PluginEntry } from './plugin-entry.ts'

/**
 * Logs what nothing handles, a rejection or an exception of a callback, as one line that names the plugin whose file is
 * in the stack, until the returned function is called. Without `stop` the process goes on: the call that caused it has been answered or
 * will time out.
 */
export function logStrayErrors(log: Log, entries: readonly PluginEntry[], stop?: () => void): () => void {
  const listenerOf = (what: string) => (error: unknown) => {
    const plugin = pluginIn(error, entries)
    log.error(`${what}, ${stop ? 'stopping' : 'going on'}`, {
      ...(plugin !== undefined && { plugin }),
      error,
    })
    stop?.()
  }
  const onRejection = listenerOf('a promise was rejected and nothing handled it')
  const onException = listenerOf('a callback threw an error and nothing caught it')
  process.on('unhandledRejection', onRejection).on('uncaughtException', onException)
  return () => {
    process.off('unhandledRejection', onRejection).off('uncaughtException', onException)
  }
}

/** Finds a third-party plugin by its file. The built-in ones are one bundle with the host. */
function pluginIn(error: unknown, entries: readonly PluginEntry[]): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const found = entries.find(({ source }) => isAbsolute(source) && stack.includes(pathToFileURL(source).href))
  return found?.plugin.name
}
