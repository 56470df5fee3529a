import * as z from 'zod'
import { type Command, defineCommand, type Host, isSecureAddress } from '../../../server/plugin.ts'
import { callOwner, LinkLost } from '../connection/link.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import { type JoinTicket, parseJoinUri } from '../domain/invitation.ts'
import { refusals } from '../reasons.ts'
import type { Joined } from '../room/members.ts'
import { print, printAnswer } from './printing.ts'
import {
  askOwner,
  asWhoJoined,
  forgetSession,
  isEnded,
  ROOM_FLAG,
  savedSession,
  saveSession,
  withTarget,
} from './target.ts'

/** Verbs for invitations, sessions and participants. */
export function joiningCommands(host: Host, room: RoomProcess): readonly Command[] {
  return [
    inviteCommand(room),
    revokeCommand(host, room),
    ownerLinkCommand(room),
    joinCommand(host),
    leaveCommand(host),
  ]
}

function inviteCommand(room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace invite',
    title: 'invite someone',
    description: 'Makes an invitation and prints its URI once; the URI holds a secret.',
    input: z.object({
      room: ROOM_FLAG,
      capabilities: z.string().optional().describe('comma-separated; default: those of an agent'),
      minutes: z.coerce.number().int().optional().describe('valid for, default 60'),
      max_uses: z.coerce.number().int().optional().describe('default 1'),
    }),
    example: 'satchel workspace invite --room plan.md --minutes 30',
    async run(_, flags, terminal) {
      const { capabilities, minutes, max_uses } = flags
      const body = {
        ...(capabilities !== undefined && {
          capabilities: capabilities.split(',').map((name) => name.trim()),
        }),
        ...(minutes !== undefined && { minutes }),
        ...(max_uses !== undefined && { max_uses }),
      }
      const invited = await askOwner(room, flags.room, { path: '/local/invite', body })
      print(terminal, invited, () => (invited as { uri: string }).uri)
      return 0
    },
  })
}

function revokeCommand(host: Host, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace revoke',
    title: 'revoke an invitation or end a session',
    description: 'Revokes an invitation (inv_…), or ends a session (ssn_…) immediately.',
    positional: ['id'],
    input: z.object({ id: z.string().describe('inv_… or ssn_…'), room: ROOM_FLAG }),
    example: 'satchel workspace revoke inv_0123456789abcdef --room plan.md',
    run: (_, flags, terminal) =>
      withTarget(host, room, flags.room, async ({ address, token }) => {
        const done = flags.id.startsWith('ssn_')
          ? await callOwner(address, {
              method: 'DELETE',
              path: `/workspace/sessions/${encodeURIComponent(flags.id)}`,
              token,
            })
          : await callOwner(address, {
              method: 'POST',
              path: '/workspace/invite/revoke',
              token,
              body: { invite_id: flags.id },
            })
        await printAnswer(terminal, done as object, `${flags.id} is revoked.`)
        return 0
      }),
  })
}

function ownerLinkCommand(room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace owner-link',
    title: 'a fresh link to the owner page',
    description: 'Prints a link that opens the owner page once, within 10 minutes.',
    input: z.object({ room: ROOM_FLAG }),
    example: 'satchel workspace owner-link --room plan.md',
    async run(_, flags, terminal) {
      const link = await askOwner(room, flags.room, { path: '/local/owner-link', body: {} })
      print(terminal, link, () => (link as { url: string }).url)
      return 0
    },
  })
}

function joinCommand(host: Host): Command {
  return defineCommand({
    cli: 'workspace join',
    title: 'join a room by invitation',
    description: 'Redeems an invitation and keeps the session for later verbs, readable by this user alone.',
    positional: ['uri'],
    input: z.object({
      uri: z.string().describe('satchel://join/…'),
      name: z.string().optional().describe('your name there, default agent'),
      kind: z.enum(['human', 'agent']).optional().describe('default agent'),
    }),
    example: 'satchel workspace join satchel://join/eyJ2IjoxfQ --name ada',
    async run(_, flags, terminal) {
      const ticket = ticketOf(flags.uri)
      const { url, joined } = await redeemAt(ticket, {
        invite: ticket.secret,
        name: flags.name ?? 'agent',
        kind: flags.kind ?? 'agent',
      })
      await saveSession(host, { ...joined, url })
      const { token: _token, ...shown } = joined
      await printAnswer(terminal, shown, `Joined ${joined.workspace_id} as ${joined.participant_id}.`)
      return 0
    },
  })
}

/** The ticket of an invitation. Errors: `invalid`/`invalid_request` for any other text. */
export function ticketOf(invitation: string): JoinTicket {
  const ticket = parseJoinUri(invitation)
  if (ticket) return ticket
  throw refusals.invitation_malformed()
}

/** Redeems an invitation at the first of its endpoints that answers. Errors: `unavailable`/`transport_unavailable`, the room's own. */
export async function redeemAt(ticket: JoinTicket, body: object): Promise<{ url: string; joined: Joined }> {
  const urls = ticket.endpoints.filter(isSecureAddress)
  for (const url of urls) {
    try {
      return {
        url,
        joined: (await callOwner({ url }, { method: 'POST', path: '/session/join', body })) as Joined,
      }
    } catch (thrown) {
      if (!(thrown instanceof LinkLost)) throw thrown
    }
  }
  throw refusals.invitation_unreachable()
}

function leaveCommand(host: Host): Command {
  return defineCommand({
    cli: 'workspace leave',
    title: 'leave the room joined last',
    description: 'Ends the membership that join began and forgets its session.',
    input: z.object({}),
    example: 'satchel workspace leave',
    async run(_, __, terminal) {
      const { workspace_id } = await savedSession(host)
      const call = { method: 'POST', path: '/workspace/leave', body: {} } as const
      const leaving = asWhoJoined(host, ({ address, token }) => callOwner(address, { ...call, token }))
      const left = await leaving.catch(async (thrown: unknown) => {
        if (isEnded(thrown)) await forgetSession(host, workspace_id) // of no use to any verb
        throw thrown
      })
      await forgetSession(host, workspace_id)
      await printAnswer(terminal, left as object, `Left ${workspace_id}.`)
      return 0
    },
  })
}
