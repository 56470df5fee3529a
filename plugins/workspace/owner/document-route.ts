import type { Route } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { permissionDenied } from '../domain/refusal.ts'
import { firstBytes } from '../domain/short-text.ts'
import { readDocument, type View } from '../room/views.ts'
import { json, sessionOfRequest } from '../routes/json-route.ts'
import type { MarkdownNode } from './markdown-tree.ts'

/** Above this the page shows plain text: parsing Markdown blocks the process that also commits. */
const RENDERED_BYTES = 128 * 1024

interface Rendered {
  readonly version: number
  readonly nodes: readonly MarkdownNode[]
  readonly rest: string
}

/** `GET /owner/document`: the newest document as a tree of plain data, from which the page builds DOM nodes. */
export function documentRoute(connection: RoomConnection): Route {
  let kept: Rendered | undefined
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
      if (kept?.version !== version) kept = await rendered(version, content)
      return json(kept)
    },
  }
}

/** Bearers read the text by `/workspace/read`: `/owner/*` is for the page (design workspace, section 8). */
function documentOfPage(view: View) {
  if (view.actor.session.audience !== 'owner') throw permissionDenied()
  return readDocument(view, {})
}

async function rendered(version: number, content: string): Promise<Rendered> {
  const { markdownTree } = await import('./markdown-tree.ts')
  const { text } = firstBytes(content, RENDERED_BYTES)
  return { version, nodes: markdownTree(text), rest: content.slice(text.length) }
}
