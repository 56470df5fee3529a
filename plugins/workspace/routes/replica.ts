import * as z from 'zod'
import { CAPABILITIES, type Route, type RouteContext } from '../../../server/plugin.ts'
import { PROTOCOL } from '../connection/attachment.ts'
import { sessionOfHash } from '../connection/credentials.ts'
import type { Owner } from '../connection/owner.ts'
import { isReplicaItself } from '../connection/replica-callers.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { refusals } from '../reasons.ts'
import type { Shown } from '../tools/room-tool.ts'
import { json, jsonBody, textField } from './json-route.ts'
import { joinAsAsked } from './local.ts'
import { JOINED } from './session-join.ts'

/** Where `serve` and `mcp --transport` listen, which the announced address names. */
const LISTENERS: readonly string[] = ['api', 'mcp']
const BODY_MAX_BYTES = 16 * 1024

const PING = z.object({ protocol: z.object({ name: z.string(), major: z.number() }) })
const SESSION = z.object({
  session: z.object({ session_id: z.string(), capabilities: z.array(z.enum(CAPABILITIES)) }).optional(),
})

/** What a route is asked for, and what it answers. */
interface Replied<A extends z.ZodObject> {
  readonly summary: string
  readonly body?: z.ZodObject
  readonly answer: A
  act(owner: Owner, request: Request): Shown<z.input<A>> | Promise<Shown<z.input<A>>>
}

/** `/replica/*`: what the other servers of the database ask the owner of the room, with a pass for themselves. */
export function replicaRoutes({ owner, replicaCallers }: RoomConnection): readonly Route[] {
  const requireReplica = ({ principal }: RouteContext): void => {
    if (!isReplicaItself(principal, replicaCallers)) throw refusals.pass_refused()
  }
  const route = <A extends z.ZodObject>(
    method: 'GET' | 'POST',
    name: string,
    { act, ...described }: Replied<A>,
  ): Route => ({
    method,
    path: `/replica/${name}`,
    listeners: LISTENERS,
    guard: 'bearer',
    maxBodyBytes: BODY_MAX_BYTES,
    document: { operationId: `${method.toLowerCase()}-replica-${name}`, ...described },
    async handle(ctx, request) {
      requireReplica(ctx)
      return json(await act(await owner('listener'), request))
    },
  })
  return [
    route('GET', 'ping', {
      summary: 'For servers of one database: whether the owner of the room answers',
      answer: PING,
      act: () => ({ protocol: PROTOCOL }),
    }),
    route('POST', 'session', {
      summary: 'For servers of one database: the session of a token',
      body: z.object({ token_sha256: z.string() }),
      answer: SESSION,
      async act(owner, request) {
        const session = await sessionOfHash(owner, textField(await jsonBody(request), 'token_sha256'))
        if (!session) return {}
        const { session_id, capabilities } = session
        return { session: { session_id, capabilities } }
      },
    }),
    route('POST', 'join', {
      summary: 'For servers of one database: a session of a caller of this user',
      body: z.object({
        name: z.string(),
        kind: z.enum(['human', 'agent']).optional(),
        as_owner: z.boolean().optional(),
      }),
      answer: JOINED,
      act: ({ room }, request) => joinAsAsked(room, request),
    }),
  ]
}
