import type { Host } from '../../../server/plugin.ts'
import { principalId } from '../domain/session.ts'
import { changedResources, ROOM_URI } from '../hints.ts'
import type { Joined } from '../room/members.ts'
import { type Attached, type Attachment, HOLD_BACK_MS, pause } from './attachment.ts'
import { followEvents } from './link.ts'

/** Follows the owner's events while another process owns the room, so that hints reach this process's clients. */
export interface Follower {
  /** Starts following this link, once. */
  follow(attached: Attached, joined: Joined): void
  stop(): void
}

const REATTACH_SPREAD_MS = 50
const RESOURCES = ['status', 'document', 'proposals', 'leases', 'participants']

/** A follower that is idle until the first link. A lost owner makes it attach again, which is how survivors take over. */
export function createFollower(host: Host, attachment: Attachment): Follower {
  const stopping = new AbortController()
  const followed = new WeakSet<Attached>()
  let latest: number | undefined

  const run = async (attached: Attached & { kind: 'there' }, joined: Joined): Promise<void> => {
    let stopped = false
    const since = latest ?? Number.MAX_SAFE_INTEGER
    const options = { token: joined.token, since, signal: stopping.signal }
    await followEvents(attached.address, options, (event) => {
      if (event === 'resync') return hintAll(host)
      latest = event.event_id
      stopped = event.event_type === 'workspace.stopped'
      for (const uri of changedResources(event.event_type)) host.resourceChanged(uri)
      const { task_id } = event.payload
      if (typeof task_id === 'string') host.taskChanged(task_id, [principalId(joined.session_id)])
    }).catch((thrown: unknown) => {
      if (!stopping.signal.aborted) host.log.debug('the owner went away', { error: thrown })
    })
    if (stopping.signal.aborted) return
    attachment.detach(attached)
    await pause(stopped ? HOLD_BACK_MS : Math.floor((process.pid * 7) % REATTACH_SPREAD_MS))
    const next = await attachment.attach('stdio')
    // The session goes on in this process: nobody else would use it.
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

/** Something may have been missed: everything is said to have changed. */
function hintAll(host: Host): void {
  for (const name of RESOURCES) host.resourceChanged(`${ROOM_URI}/${name}`)
}
