import { setTimeout as pause } from 'node:timers/promises'
import { visibleLine } from '../../../server/plugin.ts'
import { AGENT_CAPABILITIES, parseCapabilities } from '../domain/capability.ts'
import { LIMITS } from '../domain/limits.ts'
import { firstChars } from '../domain/short-text.ts'
import { type Joined, joinLocally, type LocalJoin, leave } from '../room/members.ts'
import type { Attachment } from './attachment.ts'
import { callOwner, LinkLost } from './link.ts'
import { lostOwner } from './lost-owner.ts'
import { callReplica } from './replica-link.ts'

/** How the local user joins. */
export interface LocalWish {
  readonly name?: string | undefined
  readonly asOwner: boolean
}

/** The session of this process in the room: created by the first call, kept when the owner changes. */
export interface LocalSession {
  readonly current: Joined | undefined
  /** Joins if needed. `client` is the fallback for the participant's name. */
  get(client: string | undefined): Promise<Joined>
  /** Drops a session that the room no longer accepts. */
  forget(joined: Joined): void
  /** Leaves the room when the process stops. */
  leave(): Promise<void>
}

export const LOST_LIMIT_MS = 2000 // design workspace, section 9: first success within 2 s of the owner's death
export const LOST_PAUSE_MS = 20

/** Joins at the first `get`. */
export function createLocalSession(attachment: Attachment, wish: LocalWish): LocalSession {
  let joined: Joined | undefined
  let joining: Promise<Joined> | undefined
  return {
    get current() {
      return joined
    },
    async get(client) {
      if (joined) return joined
      joining ??= join(attachment, wish, client).finally(() => {
        joining = undefined
      })
      joined = await joining
      return joined
    },
    forget(stale) {
      if (joined === stale) joined = undefined
    },
    async leave() {
      const session = joined
      const attached = attachment.current
      joined = undefined
      if (!session || !attached) return
      if (attached.kind === 'here') {
        await attached.owner.room.change(session.session_id, 'workspace_leave', {}, leave)
        return
      }
      const call = { method: 'POST', path: '/workspace/leave', token: session.token, body: {} } as const
      await callOwner(attached.address, call)
    },
  }
}

async function join(attachment: Attachment, wish: LocalWish, client: string | undefined): Promise<Joined> {
  const deadline = performance.now() + LOST_LIMIT_MS
  const request = localJoin(wish, client)
  for (;;) {
    const attached = await attachment.attach('stdio')
    if (attached.kind === 'here') {
      const { owner } = attached
      const joined = await owner.room.changeAsSystem((change) => joinLocally(change, request))
      owner.keep(joined.session_id)
      return joined
    }
    try {
      const body = { name: request.name, kind: request.kind, as_owner: wish.asOwner }
      const { address } = attached
      const answer = await ('pass' in address
        ? callReplica(address, { method: 'POST', path: '/replica/join', body })
        : callOwner(address, { method: 'POST', path: '/local/join', body }))
      return answer as Joined // the answer of our own route
    } catch (thrown) {
      if (!(thrown instanceof LinkLost)) throw thrown
      if (performance.now() > deadline) throw lostOwner(thrown)
      attachment.detach(attached)
      await pause(LOST_PAUSE_MS)
    }
  }
}

/** The join of a local process: as an agent with the default capabilities, or as the owner with all. */
export function localJoin({ name, asOwner }: LocalWish, client: string | undefined): LocalJoin {
  const common = { audience: 'local', transport: 'stdio' } as const
  if (asOwner) {
    return { ...common, name: name ?? 'owner', kind: 'human', capabilities: parseCapabilities(['*']) }
  }
  return {
    ...common,
    name: name ?? nameOfClient(client),
    kind: 'agent',
    capabilities: AGENT_CAPABILITIES,
  }
}

/** A client's own name, cut and cleaned so that it is always valid in a room. */
export function nameOfClient(client = ''): string {
  return firstChars(visibleLine(client), LIMITS.nameChars) || 'agent'
}
