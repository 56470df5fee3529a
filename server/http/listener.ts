import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Listener, OpenListener } from '../contract/advanced/route.ts'
import { SatchelError } from '../contract/errors.ts'
import { afterTimeout } from '../fanout/after.ts'
import { createPump } from '../fanout/pump.ts'
import type { RunningHost } from '../host.ts'
import { createApp, OTHER_METHOD } from './app.ts'
import { type CallsInFlight, createCallsInFlight } from './calls-in-flight.ts'
import { noteWaiting } from './continue.ts'
import { endpointsOf, type InventoryLine, inventory } from './endpoints.ts'
import type { HttpOptions } from './exchange.ts'
import { isMain } from './guard.ts'
import { problem } from './problem.ts'
import { hasBody } from './read-body.ts'
import { refusals } from './refusals.ts'
import { listenPrivately, type SocketFile } from './socket-file.ts'
import { createStreamPlaces, type StreamPlaces } from './stream-places.ts'
import { refuseUnparsed } from './unparsed.ts'

/** Length of the kernel's queue of connections (workspace-engine, section 4). */
const BACKLOG = 4096
/** Time for calls in flight at the stop (architecture, section 7). */
const GRACE_MS = 5000
/** Ports tried after a busy one. */
const NEXT_PORTS = 50

export interface HttpListener extends OpenListener {
  /** All methods and paths that it serves. */
  readonly inventory: readonly InventoryLine[]
  readonly port: number | undefined
}

/**
 * An idle connection is kept for longer than proxies and clients keep it: nginx and many balancers do for 60 s. Of two
 * ends, the one that closes first must not be the server, or a request that is under way meanwhile is lost.
 */
const KEEP_ALIVE_MS = 65_000

/**
 * Serves the declarations of this listener in the registry at `listener.at`, until closed.
 * Errors: `unavailable`/`port_busy`, `unavailable`/`cannot_listen`.
 */
export async function openListener(
  host: RunningHost,
  listener: Listener,
  options: HttpOptions,
): Promise<HttpListener> {
  const pump = options.pump ?? createPump(options.after)
  const places = createStreamPlaces(pump, options.maxStreams)
  const calls = createCallsInFlight()
  const endpoints = endpointsOf(host, listener, places, options)
  let port: number | undefined
  const app = createApp({ host, listener, endpoints, calls, options, port: () => port })
  const answer = getRequestListener(app.fetch, { hostname: 'localhost', errorHandler: malformed })
  const kept = options.kept?.take(placeOf(listener, portOf(listener)))
  const server = kept?.server ?? createServer({ keepAlive: true })
  for (const event of ['request', 'checkContinue', 'clientError']) server.removeAllListeners(event)
  server.on('request', answer)
  server.on('checkContinue', (incoming, outgoing) => {
    if (hasBody(incoming)) noteWaiting(incoming, outgoing)
    else outgoing.writeContinue() // a client may want the answer for a request without a body, too
    void answer(incoming, outgoing)
  })
  refuseUnparsed(server, calls, (status) => {
    options.metrics?.requested(listener.name, OTHER_METHOD, status)
    host.log.debug('request', { listener: listener.name, status })
  })
  server.requestTimeout = 0 // streams stay open; a slow body has its own limit
  server.keepAliveTimeout = KEEP_ALIVE_MS
  const listening = kept ? { port: portOf(listener), socket: undefined } : await listen(server, listener)
  port = listening.port
  kept?.resume()
  let closing: Promise<void> | undefined
  return {
    name: listener.name,
    address: addressOf(listener, port),
    port,
    inventory: inventory(listener, endpoints),
    close() {
      closing ??= close(server, { listener, port, socket: listening.socket, calls, places, options })
      return closing
    },
  }
}

/** Answers a request that the adapter cannot parse, because its target is not a URL. */
function malformed(): Response {
  return problem(refusals.bad_request())
}

/** As `KeptServers` knows it. */
function placeOf({ at }: Listener, port: number | undefined): string {
  return 'socket' in at ? at.socket : `${at.host}:${port}`
}

function portOf({ at }: Listener): number | undefined {
  return 'socket' in at ? undefined : at.port
}

interface Listening {
  readonly port: number | undefined
  readonly socket: SocketFile | undefined
}

async function listen(server: Server, listener: Listener): Promise<Listening> {
  const { at, nextFreePort } = listener
  if ('socket' in at) {
    const socket = await explained(listener, () =>
      listenPrivately(server, at.socket, (path) => listenAt(server, { path })),
    )
    return { port: undefined, socket }
  }
  const last = nextFreePort && at.port !== 0 ? at.port + NEXT_PORTS : at.port
  for (let port = at.port; ; port++) {
    try {
      await explained(listener, () => listenAt(server, { host: at.host, port }), port)
      return { port: (server.address() as AddressInfo).port, socket: undefined } // a TCP server's address is never a string
    } catch (thrown) {
      if (port >= last || !isBusy(thrown)) throw thrown
    }
  }
}

async function listenAt(
  server: Server,
  at: { host: string; port: number } | { path: string },
): Promise<void> {
  server.listen({ ...at, backlog: BACKLOG })
  await once(server, 'listening')
}

/** Errors: `unavailable`/`port_busy`, `unavailable`/`cannot_listen`, if `listening` fails. */
async function explained<T>({ name, at }: Listener, listening: () => Promise<T>, port?: number): Promise<T> {
  try {
    return await listening()
  } catch (cause) {
    const { code: error } = cause as NodeJS.ErrnoException // what `listening` rejects with
    if ('socket' in at)
      throw error === 'EADDRINUSE'
        ? refusals.socket_taken({ listener: name }, { cause })
        : refusals.cannot_listen_at_socket({ listener: name, error: String(error) }, { cause })
    const place = `${at.host}:${port}`
    if (error === 'EADDRINUSE') throw refusals.port_busy({ listener: name, place }, { cause })
    throw refusals.cannot_listen({ listener: name, place, error: String(error) }, { cause })
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof SatchelError && thrown.reason === 'port_busy'
}

function addressOf({ at }: Listener, port: number | undefined): string {
  if ('socket' in at) return at.socket
  return `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`
}

interface Open {
  readonly listener: Listener
  readonly port: number | undefined
  readonly socket: SocketFile | undefined
  readonly calls: CallsInFlight
  readonly places: StreamPlaces
  readonly options: HttpOptions
}

/**
 * Ends streams, lets calls finish within the grace period, then closes all connections, which aborts the remaining calls. Of a
 * server that is kept for the next host only the connections of these are closed.
 */
async function close(server: Server, open: Open): Promise<void> {
  const { listener, port, socket, calls, places, options } = open
  const place = placeOf(listener, port)
  const isKept = options.kept?.keeps(place) === true
  const closed = isKept ? undefined : once(server, 'close')
  if (isKept) options.kept?.put(place, server)
  else {
    calls.refuseNew()
    if (socket) await socket.remove()
    server.close()
  }
  places.endAll()
  options.mcp?.endStreams(listener.name)
  if (!isKept) server.closeIdleConnections()
  const after = options.after ?? afterTimeout
  let callOff = (): void => {}
  const graceOver = new Promise<void>((resolve) => {
    callOff = after(options.graceMs ?? GRACE_MS, resolve)
  })
  await Promise.race([calls.idle(), graceOver])
  callOff()
  // Other listeners share its sessions, so only the main one closes them; its socket is closed before.
  if (isMain(listener) && !('socket' in listener.at)) await options.mcp?.close()
  if (isKept) calls.cut()
  else server.closeAllConnections()
  await closed
}
