import * as z from 'zod'
import { CAPABILITIES, type Route, type RouteDocument } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { parseJoinUri } from '../domain/invitation.ts'
import { LIMITS } from '../domain/limits.ts'
import { refusals } from '../reasons.ts'
import { redeem } from '../room/members.ts'
import { textField } from './json-route.ts'
import { guestRoute } from './passed-on.ts'

/** What begins with a session; its token is shown this once. */
export const JOINED = z.object({
  token: z.string().describe('Shown this once; goes into Authorization: Bearer'),
  session_id: z.string(),
  participant_id: z.string(),
  workspace_id: z.string(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  expires_at: z.string(),
})

const DOCUMENT: RouteDocument = {
  operationId: 'session-join',
  summary: 'Join the room by an invitation',
  body: z.object({
    invite: z.string().describe('satchel://join/… or its secret'),
    name: z.string().describe(`Your name there, at most ${LIMITS.nameChars} characters`),
    kind: z.enum(['human', 'agent']).optional().describe('Default: agent'),
  }),
  answer: JOINED,
}

/** `POST /session/join`: redeems an invitation's URI or secret for a participant and a session. Returns the token once. */
export function sessionJoinRoute(connection: RoomConnection): Route {
  return guestRoute(connection, {
    path: '/session/join',
    maxBodyBytes: 16 * 1024,
    document: DOCUMENT,
    read(body) {
      const invite = textField(body, 'invite')
      const name = textField(body, 'name')
      const kind = body['kind'] ?? 'agent'
      if (kind !== 'human' && kind !== 'agent') {
        throw refusals.participant_kind({
          errors: [{ pointer: '/kind', message: 'must be "human" or "agent"' }],
        })
      }
      const secret = parseJoinUri(invite)?.secret ?? invite
      return {
        sent: { invite: secret, name, kind },
        act: (change) => redeem(change, { secret, name, kind }),
      }
    },
  })
}
