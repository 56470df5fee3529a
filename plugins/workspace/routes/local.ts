import type { Route, RouteContext } from '../../../server/plugin.ts'
import { PROTOCOL } from '../connection/attachment.ts'
import { localJoin } from '../connection/local-session.ts'
import type { Owner } from '../connection/owner.ts'
import { placeMark } from '../connection/place-mark.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { refusals } from '../reasons.ts'
import { workspaceRow } from '../room/change.ts'
import { invite } from '../room/invitations.ts'
import { endSession, joinLocally } from '../room/members.ts'
import { json, jsonBody, textField } from './json-route.ts'

export interface LocalParts {
  readonly connection: RoomConnection
  /** Addresses of the owner page and the ingress, where they are open. */
  urls(): readonly string[]
  /** A fresh link to the owner page; undefined where none is served. */
  ownerLink(): string | undefined
  /** Releases the room for a process that outranks this one. */
  yieldRoom(): Promise<void>
}

type LocalAction = (ctx: RouteContext, request: Request, owner: Owner) => Promise<unknown>

/** `/local/*`: the routes at the owner's socket for other processes of the same user. */
export function localRoutes(parts: LocalParts): readonly Route[] {
  const { connection } = parts
  const route = (method: 'GET' | 'POST', name: string, act: LocalAction): Route => ({
    method,
    path: `/local/${name}`,
    listeners: ['socket'],
    guard: 'socket',
    handle: async (ctx, request) => json(await act(ctx, request, await connection.owner('listener'))),
  })
  return [
    route('GET', 'ping', async (_, __, { room, rank, place }) => ({
      protocol: PROTOCOL,
      place: placeMark(place.sidecar),
      rank,
      instance_id: room.instanceId,
      workspace_id: await room.readAsSystem((rows) => workspaceRow(rows).workspace_id),
      urls: parts.urls(),
    })),
    route('POST', 'join', (_, request, { room }) => joinAsAsked(room, request)),
    route('POST', 'invite', async (_, request, { room }) => {
      const body = await jsonBody(request)
      const owner = localJoin({ name: CLI_NAME, asOwner: true }, undefined)
      const { session_id } = await room.changeAsSystem((change) => joinLocally(change, owner))
      try {
        return await room.change(session_id, 'workspace_invite', inviteInput(body), invite)
      } finally {
        await room.change(session_id, 'workspace_session_end', { session_id }, endSession)
      }
    }),
    route('POST', 'owner-link', async () => {
      const url = parts.ownerLink()
      if (url === undefined) throw refusals.page_not_served()
      return { url }
    }),
    route('POST', 'yield', async (_, __, { rank }) => {
      if (rank === 'listener') throw refusals.room_open()
      // After the answer: the socket that carries it closes with the room.
      setImmediate(() => void parts.yieldRoom().catch(() => undefined)) // the caller retries until its deadline
      return { yielding: true }
    }),
  ]
}

/** The participant that one-shot verbs act as. */
export const CLI_NAME = 'cli'

/** Joins the room without an invitation, under the name and as the kind that the body asks for. */
export async function joinAsAsked(room: Owner['room'], request: Request) {
  const body = await jsonBody(request)
  const wish = localJoin({ name: textField(body, 'name'), asOwner: body['as_owner'] === true }, undefined)
  const kind = body['kind'] === 'human' || body['kind'] === 'agent' ? body['kind'] : wish.kind
  return room.changeAsSystem((change) => joinLocally(change, { ...wish, kind }))
}

function inviteInput(body: Readonly<Record<string, unknown>>) {
  const { capabilities, minutes, max_uses } = body
  return {
    ...(Array.isArray(capabilities) && { capabilities: capabilities.map(String) }),
    ...(typeof minutes === 'number' && { minutes }),
    ...((typeof max_uses === 'number' || max_uses === null) && { max_uses }),
  }
}
