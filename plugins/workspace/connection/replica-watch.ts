import { setTimeout as pause } from 'node:timers/promises'
import type { Host } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { changedResources } from '../hints.ts'
import type { Attached, Attachment } from './attachment.ts'
import { hintAll } from './follower.ts'
import { followEvents, type ReplicaAddress } from './link.ts'
import { replicaOf } from './replica-access.ts'

/** Follows the room at the server that owns it, so that hints reach the callers of this one. */
export interface ReplicaWatch {
  /** Starts, unless it goes on already. A link to another process of this machine needs none. */
  follow(attached: Attached): void
  stop(): void
}

/**
 * Idle until the first link. When the owner's stream ends, this server attaches again, which is how one of those that are
 * left takes the room over without being asked.
 */
export function createReplicaWatch(host: Host, attachment: Attachment): ReplicaWatch {
  const stopping = new AbortController()
  const { signal } = stopping
  let isFollowing = false

  const untilItEnds = async (address: ReplicaAddress): Promise<void> => {
    const options = { token: address.pass(), since: Number.MAX_SAFE_INTEGER, signal }
    await followEvents(address, options, (event) => {
      if (event === 'resync') return hintAll(host)
      for (const uri of changedResources(event.event_type)) host.resourceChanged(uri)
    }).catch((error: unknown) => {
      if (!signal.aborted) host.log.debug('the stream of the owner ended', { error })
    })
  }
  /** The next link; undefined while there is none. */
  const attachAgain = async (): Promise<Attached | undefined> => {
    const attached = await attachment.attach('listener').catch(() => undefined)
    if (signal.aborted)
      await attachment.letGo() // this process stopped meanwhile
    else hintAll(host)
    return attached
  }
  const run = async (first: Attached): Promise<void> => {
    let attached: Attached | undefined = first
    while (!signal.aborted && attached?.kind !== 'here') {
      const address = replicaOf(attached)
      if (attached && !address) return // another process of this machine has it
      if (attached && address) {
        await untilItEnds(address)
        attachment.detach(attached)
      } else await pause(LIMITS.retryMs)
      if (!signal.aborted) attached = await attachAgain()
    }
  }
  return {
    follow(attached) {
      if (isFollowing || signal.aborted || !replicaOf(attached)) return
      isFollowing = true
      run(attached)
        .catch((error) => host.log.warn('watching the room ended', { error }))
        .finally(() => {
          isFollowing = false
        })
    },
    stop: () => stopping.abort(),
  }
}
