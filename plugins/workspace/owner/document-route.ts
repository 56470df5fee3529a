import * as z from 'zod'
import { pacedBody, type Route, type RouteContext, slicesOf } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { permissionDenied } from '../domain/refusal.ts'
import type { Room } from '../room/room.ts'
import { readDocument } from '../room/views.ts'
import { jsonBodied, sessionOfRequest } from '../routes/json-route.ts'
import { GUEST_LISTENERS } from '../tools/room-tool.ts'

const ELEMENT = z.object({
  tag: z.string(),
  children: z.array(z.unknown()).describe('Texts and elements, as the nodes are'),
  href: z.string().optional(),
  id: z.string().optional(),
  target: z.string().optional().describe('Of a heading: its section'),
  task: z.object({ done: z.boolean(), at: z.number() }).optional(),
  isPlain: z.literal(true).optional(),
  start: z.number().optional(),
  align: z.enum(['left', 'right', 'center']).optional(),
})
const MARKUP = z.object({
  version: z.number(),
  nodes: z.array(z.union([z.string(), ELEMENT])),
  rest: z.string().describe('What follows the nodes, as plain text'),
})

/** The newest document as a tree of plain data, from which the page builds DOM nodes: for the owner's page and for guests. */
export function documentRoutes(connection: RoomConnection): readonly Route[] {
  const markupIn = async (room: Room, ctx: RouteContext): Promise<Response> => {
    const sessionId = sessionOfRequest(ctx)
    await room.look()
    const { version, content } = await room.readInTurn(sessionId, (view) => readDocument(view, {}))
    const markup = await room.markup(content)
    return jsonBodied(pacedBody(withVersion(version, markup)))
  }
  return [
    {
      method: 'GET',
      path: '/owner/document',
      listeners: ['owner'],
      guard: 'cookie',
      async handle(ctx) {
        if (ctx.credentials.bearer !== undefined) throw permissionDenied()
        const { room } = await connection.owner('listener')
        return markupIn(room, ctx)
      },
    },
    {
      method: 'GET',
      path: '/workspace/markup',
      listeners: GUEST_LISTENERS,
      guard: 'bearer',
      document: {
        operationId: 'get-workspace-markup',
        summary: 'The newest document as a tree of elements',
        answer: MARKUP,
      },
      handle: async (ctx) => markupIn(await connection.visit(sessionOfRequest(ctx)), ctx),
    },
  ]
}

/** The markup, a JSON object with members, with the version as its first. */
function* withVersion(version: number, markup: Uint8Array): Generator<Uint8Array | string> {
  yield `{"version":${version},`
  yield* slicesOf(markup.subarray(1))
}
