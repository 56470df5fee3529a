import type { EventEmitter } from 'node:events'
import { serveStdio as connectStdio } from '@modelcontextprotocol/server/stdio'
import { asCallerError } from '../call.ts'
import type { RunningHost } from '../host.ts'
import { openPromise } from '../platform/open-promise.ts'
import { endsWithin } from '../platform/within.ts'
import type { ProcessIo } from '../process-io.ts'
import { clientNameIn, LOCAL_CALLER } from './caller.ts'
import { createDoor, type DoorOptions } from './door.ts'
import { createLinks } from './link.ts'
import { updated } from './listen.ts'
import { createOutlet } from './outlet.ts'
import { serverFor } from './server.ts'
import { createStdioExtras } from './stdio-extras.ts'
import { createWatch } from './watch.ts'
import { createWire, type Wire } from './wire.ts'

/** Time for calls in flight after the end of stdin and the start of the host, before which none begins (mcp, section 10). */
const GRACE_AFTER_EOF_MS = 5_000
const GRACE_AFTER_SIGNAL_MS = 1_000
/** Time after a failed start in which requests are answered with the failure: clients show it, and few show stderr. */
const TELL_FAILURE_MS = 2_000
/** Time for a slow client to read the last answers. */
const FLUSH_LIMIT_MS = 150
/** Time without input after which a process without its parent ends (mcp, section 10). */
const ORPHAN_MS = 60_000
const ORPHAN_CHECK_MS = 5_000

export interface StdioOptions extends DoorOptions {
  readonly io: ProcessIo
  /** Where signals arrive; the process, but in tests. */
  readonly signals?: Pick<EventEmitter, 'on' | 'off'>
}

/** The end of a server: its exit code and the time for calls in flight. */
interface Ending {
  readonly code: number
  readonly graceMs: number
}

const NEVER = new AbortController().signal
const AFTER_EOF: Ending = { code: 0, graceMs: GRACE_AFTER_EOF_MS }
const AT_ONCE: Ending = { code: 0, graceMs: 0 }
const AFTER_SIGNAL: Readonly<Record<string, Ending>> = {
  SIGTERM: { code: 0, graceMs: GRACE_AFTER_SIGNAL_MS },
  SIGHUP: { code: 0, graceMs: GRACE_AFTER_SIGNAL_MS },
  SIGINT: { code: 130, graceMs: GRACE_AFTER_SIGNAL_MS },
}

/**
 * Serves MCP on stdin and stdout until the client disconnects. `initialize` and `server/discover` are answered before
 * start-up is complete, all other requests after it. Resolves with the exit code when the last answer is written, even if
 * timers, watchers or streams remain: the caller then stops the host and exits the process.
 * Errors: those of the start-up, once the requests that wait for it, and those of the next moment, are answered with it.
 */
export async function serveStdio(options: StdioOptions): Promise<number> {
  let clientName: string | undefined
  const links = createLinks(() => clientName)
  const boot = toldOnce(options)
  const door = createDoor({ ...options, boot, loadRemote: links.tableOf })
  const { promise: ended, resolve: end } = openPromise<Ending>()
  const outlet = createOutlet(options.io.stdout, {
    roomy: () => wire.resume(),
    broken: () => end(AT_ONCE),
  })
  let isLegacy = false
  const wire = createWire({
    input: options.io.stdin,
    outlet,
    intercept(message) {
      clientName ??= clientNameIn(message)
      return extras.take(message)
    },
    isLegacy: () => isLegacy,
    ended: () => end(AFTER_EOF),
  })
  const extras = createStdioExtras(door, outlet, (id) => wire.answered(id))
  const served = connectStdio(
    ({ era }) => {
      isLegacy = era === 'legacy'
      const watch = isLegacy
        ? createWatch((uri) => outlet.hint(`resource ${uri}`, () => updated(uri)))
        : undefined
      const server = serverFor(door, { era, callerOf: () => LOCAL_CALLER, ...(watch && { watch }) })
      server.onclose = () => watch?.close()
      return server
    },
    {
      transport: wire.transport,
      onerror: (error) => options.log.debug('mcp over stdio', { error }),
    },
  )
  const stopListening = endOnSignals(options.signals ?? process, wire, end)
  options.io.onServing?.()
  try {
    const { code, graceMs } = await Promise.race([ended, failureOf(boot)])
    // After the end of stdin they still have their time.
    if (graceMs === GRACE_AFTER_SIGNAL_MS) void boot.then((host) => host.beginStop()).catch(() => undefined)
    else if (graceMs > 0) await Promise.race([boot.catch(() => undefined), wire.idle()])
    await endsWithin(graceMs, wire.idle())
    extras.close()
    await endsWithin(FLUSH_LIMIT_MS, outlet.flushed())
    return code
  } catch (failure) {
    if (!options.io.stdin.isTTY) await endsWithin(TELL_FAILURE_MS, ended)
    await endsWithin(FLUSH_LIMIT_MS, wire.idle())
    await endsWithin(FLUSH_LIMIT_MS, outlet.flushed())
    throw failure
  } finally {
    stopListening()
    links.close()
    await served.close()
  }
}

/** Returns the start-up, whose failure is one error with one line of the log, for every request that it fails. */
function toldOnce({ boot, log }: StdioOptions): Promise<RunningHost> {
  const told = boot.catch((thrown: unknown) => {
    throw asCallerError(thrown, { log, signal: NEVER }, 'start')
  })
  told.catch(() => undefined) // it is awaited later
  return told
}

/** Rejects if start-up fails; never resolves. */
async function failureOf(boot: Promise<unknown>): Promise<never> {
  await boot
  return new Promise(() => undefined)
}

function endOnSignals(
  signals: Pick<EventEmitter, 'on' | 'off'>,
  wire: Wire,
  end: (ending: Ending) => void,
): () => void {
  const handlers = Object.entries(AFTER_SIGNAL).map(([name, ending]) => ({ name, handle: () => end(ending) }))
  for (const { name, handle } of handlers) signals.on(name, handle)
  const parent = process.ppid
  const orphanCheck = setInterval(() => {
    if (process.ppid !== parent && performance.now() - wire.lastReadAt > ORPHAN_MS) end(AT_ONCE)
  }, ORPHAN_CHECK_MS).unref()
  return () => {
    clearInterval(orphanCheck)
    for (const { name, handle } of handlers) signals.off(name, handle)
  }
}
