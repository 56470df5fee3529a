import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Log } from './contract/context.ts'
import type { RunningHost } from './host.ts'
import type { PluginEntry } from './plugin-entry.ts'

/** Notes the plugins that were loaded, and returns them. */
type Note = (loaded: readonly PluginEntry[]) => readonly PluginEntry[]

/**
 * Loads plugins and creates their host with `create`, and logs meanwhile and until the host stops what nothing handles: a
 * rejection or an exception of a callback, as one line that names the plugin whose file is in the stack. Without `stop` the
 * process goes on: the call that caused it has been answered or will end.
 */
export async function supervised(
  log: Log,
  stop: (() => void) | undefined,
  create: (note: Note) => Promise<RunningHost>,
): Promise<RunningHost> {
  const entries: PluginEntry[] = []
  const stopLogging = logStrayErrors(log, entries, stop)
  try {
    const host = await create((loaded) => {
      entries.push(...loaded)
      return loaded
    })
    // Node.js reports a rejection after the work that caused it, which may be all that the host was for.
    host.signal.addEventListener('abort', () => setImmediate(stopLogging))
    return host
  } catch (thrown) {
    stopLogging()
    throw thrown
  }
}

/** Logs stray errors until the returned function is called. `entries` may grow. */
function logStrayErrors(log: Log, entries: readonly PluginEntry[], stop?: () => void): () => void {
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
