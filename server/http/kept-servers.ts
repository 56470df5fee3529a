import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type After, afterTimeout } from '../fanout/after.ts'
import { problem } from './problem.ts'
import { refusals } from './refusals.ts'

/** Longer than a host that starts again takes: its calls have their grace, its plugins are set up and started. */
const WAIT_MS = 30_000
const REQUESTS = ['request', 'checkContinue'] as const

/** A server that listens without a host that answers. */
interface KeptServer {
  readonly server: Server
  /** Hands on the requests that waited, after the next host has its handlers on the server. */
  resume(): void
}

/**
 * The servers of a process that stay open while one host follows another: no connection is refused in between, and the
 * requests wait for the next host. A place is `HOST:PORT`. Its owner ends with `keepOnly([])`.
 */
export interface KeptServers {
  /** States which places stay open from now on when their listener closes; closes the kept servers of others. */
  keepOnly(places: readonly string[]): void
  keeps(place: string): boolean
  /** Takes over a server whose listener closes. */
  put(place: string, server: Server): void
  take(place: string): KeptServer | undefined
}

/** Creates the set without servers, which keeps none. */
export function createKeptServers(after: After = afterTimeout): KeptServers {
  const kept = new Map<string, KeptServer>()
  let wanted: readonly string[] = []
  return {
    keepOnly(places) {
      wanted = places
      for (const [place, { server }] of kept) {
        if (wanted.includes(place)) continue
        kept.delete(place)
        server.close()
        server.closeAllConnections()
      }
    },
    keeps: (place) => wanted.includes(place),
    put: (place, server) => void kept.set(place, waiting(server, after)),
    take(place) {
      const found = kept.get(place)
      kept.delete(place)
      return found
    },
  }
}

/** Lets requests wait, for 30 s at most. */
function waiting(server: Server, after: After): KeptServer {
  const waits = new Set<() => void>()
  const refuse = getRequestListener(() => problem(refusals.stopping()))
  for (const event of REQUESTS) {
    server.removeAllListeners(event)
    server.on(event, (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const settle = (then: () => void) => {
        callOff()
        outgoing.off('close', leave)
        waits.delete(proceed)
        then()
      }
      const proceed = () => settle(() => void server.emit(event, incoming, outgoing))
      const leave = () => settle(() => {})
      const callOff = after(WAIT_MS, () => settle(() => void refuse(incoming, outgoing)))
      outgoing.once('close', leave)
      waits.add(proceed)
    })
  }
  return {
    server,
    resume() {
      for (const proceed of [...waits]) proceed()
    },
  }
}
