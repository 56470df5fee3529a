import type { Route } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { permissionDenied } from '../domain/refusal.ts'
import { readDocument, type View } from '../room/views.ts'
import { jsonText, sessionOfRequest } from '../routes/json-route.ts'

/** `GET /owner/document`: the newest document as a tree of plain data, from which the page builds DOM nodes. */
export function documentRoute(connection: RoomConnection): Route {
  return {
    method: 'GET',
    path: '/owner/document',
    listeners: ['owner'],
    guard: 'cookie',
    async handle(ctx) {
      const sessionId = sessionOfRequest(ctx)
      const { room } = await connection.owner('listener')
      await room.look()
      const { version, content } = await room.read(sessionId, documentOfPage)
      const markup = await room.markup(content)
      return jsonText(`{"version":${version},${markup.slice(1)}`)
    },
  }
}

/** Bearers read the text by `/workspace/read`: `/owner/*` is for the page (design workspace, section 8). */
function documentOfPage(view: View) {
  if (view.actor.session.audience !== 'owner') throw permissionDenied()
  return readDocument(view, {})
}
