import { SKILL } from '../../generated/skill.ts'
import {
  type CallContext,
  defineResource,
  firstBytes,
  type Resource,
  SatchelError,
} from '../../server/plugin.ts'
import type { RoomAccess } from './connection/room-access.ts'
import { LIMITS } from './domain/limits.ts'
import { ROOM_URI } from './hints.ts'
import { refusals } from './reasons.ts'
import type { PageInput } from './room/page.ts'
import { leasesPage, participantsPage, proposalsPage, readDocument, status, type View } from './room/views.ts'
import { ROOM_LISTENERS } from './tools/room-tool.ts'

/** The five resources of a room and the skill. Every read is current and checks permission. */
export function roomResources(access: RoomAccess): readonly Resource[] {
  const look: Look = async (ctx, tool, view, input = {}) =>
    access.perform(ctx, {
      route: { method: 'GET', path: `/workspace/${tool}`, listeners: ROOM_LISTENERS },
      input: { ...input },
      async here({ room, sessionId }) {
        await room.look()
        return room.read(sessionId, (open) => view(open, input))
      },
    })
  return [
    rowsResource('status', 'Status', (ctx) => look(ctx, 'status', status)),
    documentResource(look),
    rowsResource('proposals', 'Proposals', (ctx) => look(ctx, 'proposals', proposalsPage, LONGEST)),
    rowsResource('leases', 'Active leases', (ctx) => allPages(look, ctx, 'leases', leasesPage)),
    rowsResource('participants', 'Participants', (ctx) =>
      allPages(look, ctx, 'participants', participantsPage),
    ),
    skillResource(),
  ]
}

/** The longest page of a list. */
const LONGEST = { limit: LIMITS.listRows }

/** Reads the room: here, or through the equivalent tool of the process that owns it. */
type Look = <T>(
  ctx: CallContext,
  tool: string,
  view: (view: View, input: PageInput) => T,
  input?: PageInput,
) => Promise<T>

type Listed<K extends string> = { readonly [key in K]: readonly unknown[] } & {
  readonly next_cursor?: string
}

/** Every row of a list that its tool returns in pages, under the tool's name. */
async function allPages<K extends string>(
  look: Look,
  ctx: CallContext,
  name: K,
  view: (view: View, input: PageInput) => Listed<K>,
): Promise<unknown> {
  const rows: unknown[] = []
  let cursor: string | undefined
  do {
    const found: Listed<K> = await look(ctx, name, view, { ...LONGEST, ...(cursor && { cursor }) })
    rows.push(...found[name])
    cursor = found.next_cursor
  } while (cursor !== undefined)
  return { [name]: rows }
}

function rowsResource(name: string, title: string, find: (ctx: CallContext) => Promise<unknown>): Resource {
  return defineResource({
    uri: `${ROOM_URI}/${name}`,
    name: `workspace_${name}`,
    title,
    description: `${title} of the room, as JSON.`,
    mimeType: 'application/json',
    requires: 'read',
    subscribable: true,
    read: (ctx, uri) =>
      asNotFound(uri, async () => ({
        mimeType: 'application/json',
        text: JSON.stringify(await find(ctx)),
      })),
  })
}

function documentResource(look: Look): Resource {
  return defineResource({
    uri: `${ROOM_URI}/document`,
    name: 'workspace_document',
    title: 'Document',
    description: 'The Markdown document of the room, at most 1 MiB of it.',
    mimeType: 'text/markdown',
    requires: 'read',
    subscribable: true,
    read: (ctx, uri) =>
      asNotFound(uri, async () => {
        const { content } = await look(ctx, 'read', (view) => readDocument(view, {}))
        const { text, cut } = firstBytes(content, LIMITS.documentResourceBytes)
        return { mimeType: 'text/markdown', text, ...(cut && { truncated: true as const }) }
      }),
  })
}

/** A caller without `read` gets the same error as for an unknown URI. */
async function asNotFound<T>(uri: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (thrown) {
    if (!(thrown instanceof SatchelError) || !['unauthorized', 'forbidden'].includes(thrown.code))
      throw thrown
    throw refusals.resource_not_found({ details: { uri } })
  }
}

function skillResource(): Resource {
  return defineResource({
    uri: 'skill://satchel/SKILL.md',
    name: 'satchel_skill',
    title: 'How to work in a room',
    description: 'The loop of reading, proposing and committing, and what to do when a call is refused.',
    mimeType: 'text/markdown',
    subscribable: false,
    read: async () => ({ mimeType: 'text/markdown', text: SKILL }),
  })
}
