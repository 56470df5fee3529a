import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProtocolError } from '@modelcontextprotocol/server'
import type { RunningHost } from '../host.ts'
import { LOCAL_CALLER } from './caller.ts'
import type { WireResult } from './raw-table.ts'
import type { RemoteRequests } from './remote-requests.ts'
import { UnsubscribableError } from './watch.ts'

/** Delays between reconnects, doubled from the first to the maximum (workspace, section 9). */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/** Keeps the notification stream of the remote server open from the first use and forwards its messages to the hub. */
export interface Follower {
  start(): void
  /** Errors: -32602 for any refused subscription; those of a request. */
  watch(uri: string): Promise<void>
}

/** Creates a follower that sends nothing before its first use; `signal` ends it. */
export function createFollower(host: RunningHost, requests: RemoteRequests, signal: AbortSignal): Follower {
  const watched = new Set<string>()
  let isFollowing = false

  const hear = ({ method, params }: WireResult): void => {
    const { uri, taskId } = (params ?? {}) as { uri?: unknown; taskId?: unknown }
    if (method === 'notifications/resources/updated' && typeof uri === 'string') {
      host.hub.emit({ kind: 'resource', uri })
    } else if (method === 'notifications/tasks' && typeof taskId === 'string') {
      host.hub.emit({ kind: 'task', taskId, owners: [LOCAL_CALLER.principal.id] })
    }
  }
  const subscribe = (uri: string): Promise<unknown> =>
    requests.send({ method: 'resources/subscribe', params: { uri }, repeatable: true, signal })
  /** False: the remote server offers no stream. */
  const followOnce = async (): Promise<boolean> => {
    try {
      // A restarted server lost the subscriptions; when we connect it sends one hint for each.
      for (const uri of watched) await subscribe(uri)
      return await requests.follow(hear, signal)
    } catch (error) {
      host.log.debug('the stream of the remote server ended', { error })
      return true
    }
  }
  const follow = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const startedAt = performance.now()
      if (!(await followOnce()) || signal.aborted) return
      if (performance.now() - startedAt > LONGEST_PAUSE_MS) pauseMs = FIRST_PAUSE_MS
      await sleep(pauseMs + randomInt(pauseMs), undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const start = (): void => {
    if (isFollowing) return
    isFollowing = true
    void follow() // it catches all errors of its requests
  }
  return {
    start,
    async watch(uri) {
      start()
      try {
        await subscribe(uri)
      } catch (thrown) {
        throw ProtocolError.isInstance(thrown) ? new UnsubscribableError() : thrown
      }
      watched.add(uri)
    },
  }
}
