import { SKILL } from '../../generated/skill.ts'
import { type CallContext, defineResource, type Resource, SatchelError } from '../../server/plugin.ts'
import { LIMITS } from './domain/limits.ts'
import { firstBytes } from './domain/short-text.ts'
import { ROOM_URI } from './hints.ts'
import { leasesOf, participantsOf, proposalsPage, readDocument, status, type View } from './room/views.ts'
import { ROOM_LISTENERS, type RoomAccess } from './tools/room-tool.ts'

/** The five resources of a room and the skill. Every read is a fresh look; permission is checked at the read. */
export function roomResources(access: RoomAccess): readonly Resource[] {
  const look = async (ctx: CallContext, tool: string, view: (view: View) => unknown): Promise<unknown> =>
    access.perform(ctx, {
      route: { method: 'GET', path: `/workspace/${tool}`, listeners: ROOM_LISTENERS },
      input: {},
      async here({ room, sessionId }) {
        await room.look()
        return room.read(sessionId, view)
      },
    })
  const rows = (name: string, title: string, tool: string, view: (view: View) => unknown): Resource =>
    defineResource({
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
          text: JSON.stringify(await look(ctx, tool, view)),
        })),
    })
  return [
    rows('status', 'Status', 'status', status),
    documentResource(look),
    rows('proposals', 'Proposals', 'proposals', (view) => proposalsPage(view, {})),
    rows('leases', 'Active leases', 'leases', (view) => ({ leases: leasesOf(view) })),
    rows('participants', 'Members', 'participants', (view) => ({ participants: participantsOf(view) })),
    skillResource(),
  ]
}

type Look = (ctx: CallContext, tool: string, view: (view: View) => unknown) => Promise<unknown>

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
        const found = await look(ctx, 'read', (view) => readDocument(view, {}))
        const { content } = found as { content: string } // what `readDocument` gives, here or at the owner
        const { text, cut } = firstBytes(content, LIMITS.documentResourceBytes)
        return { mimeType: 'text/markdown', text, ...(cut && { truncated: true as const }) }
      }),
  })
}

/** A caller who may not read learns nothing else than for a URI that is unknown. */
async function asNotFound<T>(uri: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (thrown) {
    if (!(thrown instanceof SatchelError) || !['unauthorized', 'forbidden'].includes(thrown.code))
      throw thrown
    throw new SatchelError('not_found', 'resource_not_found', 'There is no such resource.', {
      details: { uri },
    })
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
