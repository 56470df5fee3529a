import { pacedBody, type Route, slicesOf } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { permissionDenied } from '../domain/refusal.ts'
import { readDocument } from '../room/views.ts'
import { jsonBodied, sessionOfRequest } from '../routes/json-route.ts'

/** `GET /owner/document`: the newest document as a tree of plain data, from which the page builds DOM nodes. */
export function documentRoute(connection: RoomConnection): Route {
  return {
    method: 'GET',
    path: '/owner/document',
    listeners: ['owner'],
    guard: 'cookie',
    async handle(ctx) {
      const sessionId = sessionOfRequest(ctx)
      // The page has a cookie, the owner's or a guest's; bearers read the text by `/workspace/read`.
      if (ctx.credentials.bearer !== undefined) throw permissionDenied()
      const { room } = await connection.owner('listener')
      await room.look()
      const { version, content } = await room.read(sessionId, (view) => readDocument(view, {}))
      const markup = await room.markup(content)
      return jsonBodied(pacedBody(withVersion(version, markup)))
    },
  }
}

/** The markup, a JSON object with members, with the version as its first. */
function* withVersion(version: number, markup: Uint8Array): Generator<Uint8Array | string> {
  yield `{"version":${version},`
  yield* slicesOf(markup.subarray(1))
}
