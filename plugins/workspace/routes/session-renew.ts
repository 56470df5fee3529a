import * as z from 'zod'
import type { Route, RouteDocument } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { renewSession } from '../room/renewal.ts'
import { textField } from './json-route.ts'
import { guestRoute } from './passed-on.ts'
import { JOINED } from './session-join.ts'

const DOCUMENT: RouteDocument = {
  operationId: 'session-renew',
  summary: 'Go on in the room after a session ran out',
  body: z.object({ token: z.string().describe('Token of the session that ran out') }),
  answer: JOINED,
}

/** `POST /session/renew`: a new session for the holder of one that ran out, as the same participant. Returns its token once. */
export function sessionRenewRoute(connection: RoomConnection): Route {
  return guestRoute(connection, {
    path: '/session/renew',
    maxBodyBytes: 1024,
    document: DOCUMENT,
    read(body) {
      const sent = { token: textField(body, 'token') }
      return { sent, act: (change) => renewSession(change, sent) }
    },
  })
}
