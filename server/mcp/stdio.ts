import type { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveStdio as connectStdio } from '@modelcontextprotocol/server/stdio'
import type { ProcessIo } from '../process-io.ts'
import { LOCAL_CALLER } from './caller.ts'
import { createDoor, type DoorOptions } from './door.ts'
import { createLinks } from './link.ts'
import { updated } from './listen.ts'
import { createOutlet } from './outlet.ts'
import { serverFor } from './server.ts'
import { createStdioExtras } from './stdio-extras.ts'
import { createWatch } from './watch.ts'
import { createWire, type Wire } from './wire.ts'

/** How long calls in flight may still answer after stdin ended (mcp, section 10). */
const GRACE_AFTER_EOF_MS = 5_000
const GRACE_AFTER_SIGNAL_MS = 1_000
/** How long the last answers may take to reach a client that reads slowly. */
const FLUSH_LIMIT_MS = 150
/** A process whose parent is gone and that nothing is read from for so long has been forgotten (mcp, section 10). */
const ORPHAN_MS = 60_000
const ORPHAN_CHECK_MS = 5_000

export interface StdioOptions extends DoorOptions {
  readonly io: ProcessIo
  /** Where signals arrive; the process, but in tests. */
  readonly signals?: Pick<EventEmitter, 'on' | 'off'>
}

/** Why serving ends: the exit code, and how long calls in flight may still answer. */
interface Ending {
  readonly code: number
  readonly graceMs: number
}

const AFTER_EOF: Ending = { code: 0, graceMs: GRACE_AFTER_EOF_MS }
const AT_ONCE: Ending = { code: 0, graceMs: 0 }
const AFTER_SIGNAL: Readonly<Record<string, Ending>> = {
  SIGTERM: { code: 0, graceMs: GRACE_AFTER_SIGNAL_MS },
  SIGHUP: { code: 0, graceMs: GRACE_AFTER_SIGNAL_MS },
  SIGINT: { code: 130, graceMs: GRACE_AFTER_SIGNAL_MS },
}

/**
 * Serves MCP on stdin and stdout until the client goes: `initialize` and `server/discover` are answered before the
 * boot is done, everything else waits for it. Resolves with the exit code once the last answer was written, whatever
 * timers, watchers or streams still live: the caller then stops the host and exits the process.
 * Errors: what the boot failed with.
 */
export async function serveStdio(options: StdioOptions): Promise<number> {
  const links = createLinks()
  const door = createDoor({ ...options, annex: links.tableOf })
  let end: (ending: Ending) => void = () => undefined
  const ended = new Promise<Ending>((resolve) => {
    end = resolve
  })
  const outlet = createOutlet(options.io.stdout, {
    roomy: () => wire.resume(),
    broken: () => end(AT_ONCE),
  })
  let isLegacy = false
  const wire = createWire({
    input: options.io.stdin,
    outlet,
    intercept: (message) => extras.take(message),
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
  try {
    const { code, graceMs } = await Promise.race([ended, failureOf(options.boot)])
    await within(graceMs, wire.idle())
    extras.close()
    await within(FLUSH_LIMIT_MS, outlet.flushed())
    return code
  } finally {
    stopListening()
    links.close()
    await served.close()
  }
}

/** Rejects when the boot fails; never resolves. */
async function failureOf(boot: Promise<unknown>): Promise<never> {
  await boot
  return new Promise(() => undefined)
}

/** Waits for `work`, but not longer than `ms`. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const late = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: late.signal }).catch(() => undefined)])
  late.abort()
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
