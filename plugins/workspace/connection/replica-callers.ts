import { CAPABILITIES, type Credentials, type Principal } from '../../../server/plugin.ts'
import { isLive, LOOKING } from '../domain/session.ts'
import { refusals } from '../reasons.ts'
import { sessions } from '../room/tables.ts'
import { principalOf } from './credentials.ts'
import type { Owner } from './owner.ts'
import { PASS_PREFIX, passIn } from './replica-pass.ts'

/** The callers for whom other servers of the database speak at this one while it owns the room. */
export interface ReplicaCallers {
  /**
   * The caller of a pass: its session with the session's rights, or the server itself, which may look.
   * Errors: `unauthorized`/`pass_refused` where `owner` is undefined too; `unauthorized`/`session_expired`.
   */
  authenticate(owner: Owner | undefined, credentials: Credentials): Promise<Principal>
  /** Reports whether another server sent this caller here: its call is not sent on. */
  isPassedOn(principal: Principal | undefined): boolean
}

export function isPass({ bearer }: Pick<Credentials, 'bearer'>): boolean {
  return bearer?.startsWith(PASS_PREFIX) === true
}

/** Knows a request by its credentials: the time of a pass counts when the request comes, not at each look at its stream. */
export function createReplicaCallers(): ReplicaCallers {
  const admitted = new WeakMap<Credentials, { readonly owner: Owner; readonly session?: string }>()
  const passedOn = new WeakSet<Principal>()
  const admit = (owner: Owner, credentials: Credentials) => {
    const known = admitted.get(credentials)
    if (known?.owner === owner) return known
    const pass = owner.passKey && passIn(owner.passKey, credentials.bearer ?? '')
    if (!pass) throw refusals.pass_refused()
    const found = { owner, ...pass }
    admitted.set(credentials, found)
    return found
  }
  return {
    async authenticate(owner, credentials) {
      if (!owner) throw refusals.pass_refused()
      const { session } = admit(owner, credentials)
      const principal = session === undefined ? itself() : await callerOf(owner, session)
      passedOn.add(principal)
      return principal
    },
    isPassedOn: (principal) => principal !== undefined && passedOn.has(principal),
  }
}

/** The server that asks, which holds the rows of the room: it may see everything, and change nothing. */
function itself(): Principal {
  return principalOf({ ...LOOKING, capabilities: CAPABILITIES })
}

/** True for a server that asks for itself. */
export function isReplicaItself(principal: Principal | undefined, callers: ReplicaCallers): boolean {
  return callers.isPassedOn(principal) && principal?.id === itself().id
}

async function callerOf(owner: Owner, sessionId: string): Promise<Principal> {
  const found = await owner.room.readAsSystem((rows, now) => {
    const session = sessions.find(rows, sessionId)
    return session && { session, live: isLive(session, now) }
  })
  // The page of the owner is served on its own machine only.
  if (!found || found.session.audience === 'owner') throw refusals.unauthorized()
  if (!found.live) throw refusals.session_expired()
  owner.touch(sessionId)
  return principalOf(found.session)
}
