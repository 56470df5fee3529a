import { type CallContext, type Inbox, isJsonObject, type Reading } from '../../server/plugin.ts'
import { LinkLost, type ReplicaAddress } from './connection/link.ts'
import { callReplica, openReplicaFrames } from './connection/replica-link.ts'
import { sessionIdOf } from './domain/session.ts'
import { resyncFrame } from './event-frames.ts'
import { refusals } from './reasons.ts'

interface Asked {
  readonly ctx: CallContext
  readonly since: number
}

/**
 * The stream of a session at the server that owns the room, passed on to a reader here. It ends when that server stops, or
 * the session; the reader opens it again with its cursor. Errors, before the first frame: `LinkLost`, the owner's refusals.
 */
export async function openRemoteReading(
  address: ReplicaAddress,
  { ctx, since }: Asked,
  inbox: Inbox,
): Promise<Reading> {
  const session = sessionIdOf(ctx.principal)
  if (session === undefined) throw refusals.unauthorized()
  const closing = new AbortController()
  const signal = AbortSignal.any([ctx.signal, closing.signal])
  const latest = await latestEvent(address, session, signal)
  const frames = await openReplicaFrames(address, { session, since, signal })
  let isClosed = false
  const pumpLive = async (): Promise<void> => {
    try {
      for await (const frame of frames)
        if (idOf(frame) !== undefined || isTold(frame)) inbox.offer(bytes(frame))
    } catch (thrown) {
      if (!isClosed && !(thrown instanceof LinkLost)) ctx.log.warn('a stream ended', { error: thrown })
    }
    inbox.end()
  }
  return {
    replay: history(frames, since < latest ? latest : 0, pumpLive),
    onLag: () => resyncFrame('lagged'),
    close() {
      isClosed = true
      closing.abort()
    },
  }
}

/** Up to the event that was the newest at the opening: with backpressure. What comes later is live. */
async function* history(
  frames: AsyncGenerator<string>,
  latest: number,
  pumpLive: () => Promise<void>,
): AsyncGenerator<Buffer> {
  while (latest > 0) {
    const next = await frames.next()
    if (next.done) break
    const id = idOf(next.value)
    if (id !== undefined || isTold(next.value)) yield bytes(next.value)
    if (id !== undefined && id >= latest) break
  }
  void pumpLive() // catches everything
}

async function latestEvent(address: ReplicaAddress, session: string, signal: AbortSignal): Promise<number> {
  const path = `/workspace/events?since_event_id=${Number.MAX_SAFE_INTEGER}&limit=1`
  const answer = await callReplica(address, { method: 'GET', path, session, signal })
  const latest = isJsonObject(answer) ? answer['latest_event_id'] : undefined
  if (typeof latest !== 'number') throw refusals.not_a_room()
  return latest
}

/** `id: 42` of a frame of an event. */
function idOf(frame: string): number | undefined {
  const id = /^id: (\d{1,16})\n/.exec(frame)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** A frame other than those that each server makes itself: heartbeats and the retry line. */
function isTold(frame: string): boolean {
  return frame.startsWith('event: resync')
}

function bytes(frame: string): Buffer {
  return Buffer.from(`${frame}\n\n`)
}
