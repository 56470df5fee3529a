import { setTimeout as pause } from 'node:timers/promises'
import { type Host, isSatchelError } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { principalId } from '../domain/session.ts'
import { changedResources, ROOM_URI } from '../hints.ts'
import type { Joined } from '../room/members.ts'
import { type Attached, type Attachment, HOLD_BACK_MS } from './attachment.ts'
import { followEvents } from './link.ts'

/** Follows the events of the owning process, so that hints reach this process's clients. */
export interface Follower {
  /** Starts following this link unless it is followed already. Once its session has ended, it can be followed again. */
  follow(attached: Attached, joined: Joined): void
  stop(): void
}

const REATTACH_SPREAD_MS = 50
/** Codes that mean that the session has ended or lacks `observe`. */
const REFUSED_FOR_GOOD: ReadonlySet<string> = new Set(['unauthorized', 'forbidden'])
const RESOURCES = ['status', 'document', 'proposals', 'leases', 'participants']

/** A follower, idle until the first link. When the owner is lost it attaches again, which is how survivors take over. */
export function createFollower(host: Host, attachment: Attachment): Follower {
  const stopping = new AbortController()
  const followed = new WeakSet<Attached>()
  let latest: number | undefined

  const run = async (attached: Attached & { kind: 'there' }, joined: Joined): Promise<void> => {
    let pauseMs = Math.floor((process.pid * 7) % REATTACH_SPREAD_MS)
    let isOver = false
    let isStopped = false
    const since = latest ?? Number.MAX_SAFE_INTEGER
    const options = { token: joined.token, since, signal: stopping.signal }
    await followEvents(attached.address, options, (event) => {
      if (event === 'resync') return hintAll(host)
      latest = event.event_id
      if (event.event_type === 'workspace.stopped') {
        isStopped = true
        attachment.holdBack(HOLD_BACK_MS) // calls too: they may lose the owner before its stream ends
      }
      for (const uri of changedResources(event.event_type)) host.resourceChanged(uri)
      const { task_id } = event.payload
      if (typeof task_id === 'string') host.taskChanged(task_id, [principalId(joined.session_id)])
    }).catch((thrown: unknown) => {
      if (!stopping.signal.aborted) host.log.debug('the stream of the owner ended', { error: thrown })
      // An owner that refuses is alive: retrying immediately would loop.
      if (isSatchelError(thrown)) pauseMs = LIMITS.retryMs
      isOver = isSatchelError(thrown) && REFUSED_FOR_GOOD.has(thrown.code)
    })
    if (stopping.signal.aborted) return
    if (isOver) {
      followed.delete(attached) // the next call begins a session, which is followed
      return
    }
    attachment.detach(attached)
    if (isStopped) attachment.holdBack(HOLD_BACK_MS)
    await pause(pauseMs)
    const next = await attachment.attach('stdio')
    // The session continues in this process; no other process uses it.
    if (next.kind === 'here') next.owner.keep(joined.session_id)
    hintAll(host)
    follow(next, joined)
  }
  const follow = (attached: Attached, joined: Joined): void => {
    if (attached.kind === 'here' || followed.has(attached) || stopping.signal.aborted) return
    followed.add(attached)
    run(attached, joined).catch((thrown) => host.log.warn('following the room ended', { error: thrown }))
  }
  return { follow, stop: () => stopping.abort() }
}

/** Events may have been missed: reports every resource as changed. */
export function hintAll(host: Host): void {
  for (const name of RESOURCES) host.resourceChanged(`${ROOM_URI}/${name}`)
}
