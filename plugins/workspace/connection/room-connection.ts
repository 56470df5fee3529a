import { setTimeout as pause } from 'node:timers/promises'
import {
  type CallContext,
  type Credentials,
  isJsonObject,
  isSatchelError,
  type Principal,
} from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { LOOKING, sessionIdOf } from '../domain/session.ts'
import type { Rank } from '../engine/room-lock.ts'
import { refusals } from '../reasons.ts'
import type { Joined } from '../room/members.ts'
import type { Room } from '../room/room.ts'
import type { Attached, Attachment } from './attachment.ts'
import type { RoomWorld } from './clock.ts'
import { authenticateAt, mayBeOurs, principalOf } from './credentials.ts'
import { forward, keyed, keyOf } from './forward.ts'
import { callOwner, LinkLost } from './link.ts'
import { LOST_LIMIT_MS, LOST_PAUSE_MS, type LocalSession } from './local-session.ts'
import { lostOwner } from './lost-owner.ts'
import type { Owner } from './owner.ts'
import { createRate, type Rate } from './rate.ts'
import { createReplicaAccess, type ReplicaAccess, replicaOf } from './replica-access.ts'
import type { ReplicaCallers } from './replica-callers.ts'
import { callReplica, isNotOwner, REPLICA_LIMIT_MS } from './replica-link.ts'
import type { RoomAccess, RoomCall, RoomSession } from './room-access.ts'

export interface RoomConnectionParts {
  readonly attachment: Attachment
  readonly local: LocalSession
  /** Called when this process has a link to the owner and a session there. */
  follow(attached: Attached, joined: Joined): void
  /** Called when this server reaches the room for callers of its own. */
  watch(attached: Attached): void
  /** By its time, which never goes back, calls are counted. */
  readonly world: Pick<RoomWorld, 'nowMicros'>
}

/** The process that owns the room, for the calls of one session. */
export interface OwnerLink {
  /** Errors: `LinkLost`; the refusals of the owner. */
  post(path: string, body: unknown): Promise<unknown>
  /** How long a lost owner is waited for. */
  readonly limitMs: number
  /** Reports that the process has ended: the next request goes to the next owner. */
  lost(): void
}

/** Connects this process to the room: finds the caller's session and the process that runs the call. */
export interface RoomConnection extends RoomAccess {
  authenticate(credentials: Credentials): Promise<Principal | undefined>
  /** The link to the owner if that is another process which knows this session as one of this process. */
  remoteOwner(sessionId: string): Promise<OwnerLink | undefined>
  /** The room for one call of this session at a route that is not a tool; counts as a call. Errors: `rate_limited`, those of `owner`. */
  visit(sessionId: string): Promise<Room>
  /** The owner, for what only the owning process does; attaches first. Errors: `unavailable`/`room_not_running`. */
  owner(rank: Rank): Promise<Owner>
  /** Takes the room for this server, or links to the server that has it. Errors: those of `owner`. */
  reach(): Promise<void>
  /** The other servers of the database that speak here for callers of theirs. */
  readonly replicaCallers: ReplicaCallers
}

/** Joins attachment and local session. */
export function createRoomConnection(parts: RoomConnectionParts): RoomConnection {
  const { attachment, local, follow } = parts
  const rate = createRate(LIMITS.callsPerMinute, () => parts.world.nowMicros() / 1000)
  const replicas = createReplicaAccess(attachment, parts.watch)

  /** The local session, followed from its start so that hints reach this process. */
  const joinedAs = async (client: string | undefined): Promise<Joined> => {
    const joined = await local.get(client)
    const attached = attachment.current
    if (attached?.kind === 'here') attached.owner.keep(joined.session_id)
    else if (attached) follow(attached, joined)
    return joined
  }
  const sessionOf = async ({ principal, localTransport, client }: CallContext): Promise<string> => {
    if (localTransport !== undefined) return (await joinedAs(client?.name)).session_id
    const sessionId = sessionIdOf(principal)
    if (sessionId !== undefined) return sessionId
    throw refusals.unauthorized()
  }
  const session = async (ctx: CallContext): Promise<RoomSession | 'remoteOwner'> => {
    const sessionId = await sessionOf(ctx)
    countCall(rate, sessionId)
    return sessionAt(ctx, sessionId)
  }
  const sessionAt = async (ctx: CallContext, sessionId: string): Promise<RoomSession | 'remoteOwner'> => {
    const attached = await replicas.reach(rankOf(ctx))
    if (attached.kind === 'there') return 'remoteOwner'
    attached.owner.touch(sessionId)
    return { room: attached.owner.room, sessionId }
  }
  const atOwner = async <T>(ctx: CallContext, call: RoomCall<T>, deadline: number): Promise<T | 'again'> => {
    if (ctx.localTransport === undefined) return replicas.answer(ctx, await sessionOf(ctx), call)
    const attached = attachment.current
    const joined = local.current
    if (attached?.kind !== 'there' || !joined) return 'again'
    try {
      const answer = await forward(attached.address, joined.token, call, ctx.signal)
      follow(attached, joined)
      return answer as T // the owner checked it against the same output schema
    } catch (thrown) {
      await recover(thrown, { attachment, local, attached, joined, call, late: performance.now() > deadline })
      return 'again'
    }
  }
  return {
    session,
    elsewhere: replicas.elsewhere,
    replicaCallers: replicas.callers,
    reach: async () => void (await replicas.reach('listener')),
    currentSession: (ctx) => currentSession(ctx, attachment, local),
    visit: (sessionId) => visit(sessionId, attachment, rate),
    resumeSession: async (ctx) => sessionAt(ctx, await sessionOf(ctx)),
    async perform(ctx, call) {
      const once = keyed(call)
      const deadline = performance.now() + LOST_LIMIT_MS
      let key: string | undefined
      for (;;) {
        const place = await session(ctx)
        if (place === 'remoteOwner') key = keyOf(once)
        const answer = await (place === 'remoteOwner'
          ? atOwner(ctx, once, deadline)
          : callHere(ctx, call, { local, place, key, deadline }))
        if (answer !== 'again') return once === call ? answer : withSecret(answer)
      }
    },
    async authenticate(credentials) {
      const { transport, client } = credentials
      if (transport === 'stdio') return principalOf(await joinedAs(client?.name))
      const isForeign = transport === 'cli' || !mayBeOurs(credentials)
      return isForeign ? undefined : authenticateRemote(credentials, replicas)
    },
    remoteOwner: (sessionId) => linkOf(sessionId, attachment, local),
    owner: (rank) => ownerAt(attachment, rank),
  }
}

/** The caller behind a bearer or a cookie, where the room is. */
async function authenticateRemote(
  credentials: Credentials,
  replicas: ReplicaAccess,
): Promise<Principal | undefined> {
  const found = await replicas.authenticate(credentials)
  if (found) return found.principal
  const attached = await replicas.reach('listener')
  return attached.kind === 'here' ? authenticateAt(attached.owner, credentials) : undefined
}

function currentSession(
  { principal, localTransport }: CallContext,
  attachment: Attachment,
  local: LocalSession,
): RoomSession | undefined {
  const attached = attachment.current
  const sessionId = localTransport === undefined ? sessionIdOf(principal) : local.current?.session_id
  if (attached?.kind !== 'here' || sessionId === undefined) return undefined
  return { room: attached.owner.room, sessionId }
}

/**
 * The answer to a call that the link may have sent twice under its own key. A replay lacks the secret, which only
 * the lost answer had. Errors: `unavailable`/`room_owner_lost` then.
 */
function withSecret<T>(answer: T): T {
  const isReplay = isJsonObject(answer) && answer['replayed'] === true
  if (isReplay) throw refusals.room_owner_lost()
  return answer
}

/** A look of the owner from this machine is not counted: it is many processes. */
function countCall(rate: Rate, sessionId: string): void {
  if (sessionId !== LOOKING.session_id) rate.count(sessionId)
}

async function visit(sessionId: string, attachment: Attachment, rate: Rate): Promise<Room> {
  countCall(rate, sessionId)
  const owner = await ownerAt(attachment, 'listener')
  owner.touch(sessionId)
  return owner.room
}

async function linkOf(
  sessionId: string,
  attachment: Attachment,
  local: LocalSession,
): Promise<OwnerLink | undefined> {
  const joined = local.current
  const isLocal = joined?.session_id === sessionId
  const attached = isLocal ? await attachment.attach('stdio') : attachment.current
  if (attached?.kind !== 'there') return undefined
  const { address } = attached
  const lost = () => attachment.detach(attached)
  if (isLocal) {
    const { token } = joined
    const post = (path: string, body: unknown) => callOwner(address, { method: 'POST', path, token, body })
    return { post, limitMs: LOST_LIMIT_MS, lost }
  }
  const replica = replicaOf(attached)
  if (!replica) return undefined
  const post = (path: string, body: unknown) =>
    callReplica(replica, { method: 'POST', path, session: sessionId, body })
  return { post, limitMs: REPLICA_LIMIT_MS, lost }
}

async function ownerAt(attachment: Attachment, rank: Rank): Promise<Owner> {
  const attached = await attachment.attach(rank)
  if (attached.kind === 'here') return attached.owner
  throw refusals.not_owner()
}

interface CallHere {
  readonly local: LocalSession
  readonly place: RoomSession
  readonly key: string | undefined
  readonly deadline: number
}

/** Runs the call in this process; `again` if the local session had ended and another may begin. */
async function callHere<T>(
  ctx: CallContext,
  call: RoomCall<T>,
  { local, place, key, deadline }: CallHere,
): Promise<T | 'again'> {
  try {
    return await call.here(place, key)
  } catch (thrown) {
    const joined = local.current
    const isStale = isSatchelError(thrown) && thrown.reason === 'session_expired'
    if (ctx.localTransport === undefined || !joined || !isStale || performance.now() > deadline) throw thrown
    local.forget(joined)
    return 'again'
  }
}

interface FailedTry {
  readonly attachment: Attachment
  readonly local: LocalSession
  readonly attached: Attached
  readonly joined: Joined
  /** No time is left for another attempt. */
  readonly late: boolean
  readonly call: RoomCall<unknown>
}

/** Prepares another attempt by detaching or joining again. Errors: `thrown`, if another attempt cannot help. */
async function recover(
  thrown: unknown,
  { attachment, local, attached, joined, late, call }: FailedTry,
): Promise<void> {
  if (thrown instanceof LinkLost || (isNotOwner(thrown) && replicaOf(attached))) {
    if (late) throw lostOwner(thrown, call.takesKey ? keyOf(call) : undefined)
    attachment.detach(attached)
    await pause(LOST_PAUSE_MS)
    return
  }
  const isStale = isSatchelError(thrown) && thrown.code === 'unauthorized'
  if (!isStale || late) throw thrown
  local.forget(joined)
}

function rankOf({ localTransport }: CallContext): Rank {
  return localTransport === undefined ? 'listener' : 'stdio'
}
