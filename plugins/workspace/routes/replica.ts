import type { Route, RouteContext } from '../../../server/plugin.ts'
import { PROTOCOL } from '../connection/attachment.ts'
import { sessionOfHash } from '../connection/credentials.ts'
import type { Owner } from '../connection/owner.ts'
import { isReplicaItself } from '../connection/replica-callers.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { refusals } from '../reasons.ts'
import { json, jsonBody, textField } from './json-route.ts'
import { joinAsAsked } from './local.ts'

/** Where `serve` and `mcp --transport` listen, which the announced address names. */
const LISTENERS: readonly string[] = ['api', 'mcp']
const BODY_MAX_BYTES = 16 * 1024

type Act = (owner: Owner, request: Request) => unknown

/** `/replica/*`: what the other servers of the database ask the owner of the room, with a pass for themselves. */
export function replicaRoutes({ owner, replicaCallers }: RoomConnection): readonly Route[] {
  const requireReplica = ({ principal }: RouteContext): void => {
    if (!isReplicaItself(principal, replicaCallers)) throw refusals.pass_refused()
  }
  const route = (method: 'GET' | 'POST', name: string, act: Act): Route => ({
    method,
    path: `/replica/${name}`,
    listeners: LISTENERS,
    guard: 'bearer',
    maxBodyBytes: BODY_MAX_BYTES,
    async handle(ctx, request) {
      requireReplica(ctx)
      return json(await act(await owner('listener'), request))
    },
  })
  return [
    route('GET', 'ping', () => ({ protocol: PROTOCOL })),
    route('POST', 'session', async (owner, request) => {
      const session = await sessionOfHash(owner, textField(await jsonBody(request), 'token_sha256'))
      if (!session) return {}
      const { session_id, capabilities } = session
      return { session: { session_id, capabilities } }
    }),
    route('POST', 'join', ({ room }, request) => joinAsAsked(room, request)),
  ]
}
