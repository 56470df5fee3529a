import * as z from 'zod'
import type { Route, RouteDocument } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { renewSession } from '../room/renewal.ts'
import { GUEST_LISTENERS } from '../tools/room-tool.ts'
import { json, jsonBody, textField } from './json-route.ts'
import { atOtherServer, createPeerRate } from './passed-on.ts'
import { JOINED } from './session-join.ts'

const DOCUMENT: RouteDocument = {
  operationId: 'session-renew',
  summary: 'Go on in the room after a session ran out',
  body: z.object({ token: z.string().describe('Token of the session that ran out') }),
  answer: JOINED,
}

/** `POST /session/renew`: a new session for the holder of one that ran out, as the same participant. Returns its token once. */
export function sessionRenewRoute(connection: RoomConnection): Route {
  const count = createPeerRate(connection)
  return {
    method: 'POST',
    path: '/session/renew',
    listeners: GUEST_LISTENERS,
    guard: 'open',
    maxBodyBytes: 1024,
    document: DOCUMENT,
    async handle(ctx, request) {
      count(ctx)
      const token = textField(await jsonBody(request), 'token')
      const sent = { method: 'POST', path: '/session/renew', body: { token } } as const
      const there = await atOtherServer(connection, ctx, sent)
      if (there) return there
      const { room } = await connection.owner('listener')
      return json(await room.changeAsSystem((change) => renewSession(change, { token })))
    },
  }
}
