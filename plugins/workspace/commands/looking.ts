import { resolve } from 'node:path'
import * as z from 'zod'
import {
  type Command,
  counted,
  defineCommand,
  type Finding,
  type Host,
  isSatchelError,
  type SatchelError,
  type Terminal,
} from '../../../server/plugin.ts'
import { realWorld } from '../connection/clock.ts'
import { ownedElsewhere } from '../connection/database-room.ts'
import { callOwner, followEvents } from '../connection/link.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import type { RoomEvent } from '../domain/event.ts'
import { fileNote } from '../domain/file-state.ts'
import type { Lease } from '../domain/lease.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Rows } from '../domain/rows.ts'
import type { RoomPlace } from '../engine/open-room.ts'
import { refusals } from '../reasons.ts'
import { currentMoment, workspaceRow } from '../room/change.ts'
import { presentParticipants } from '../room/members.ts'
import { listed } from '../room/tables.ts'
import { eventsSince, ringOf } from '../room/views.ts'
import { inspected, looked } from './look.ts'
import { eventLine, eventRow, printAnswer } from './printing.ts'
import { writeStory } from './story-files.ts'
import { isEnded, namedPlace, ROOM_FLAG, runningOwner, type Target, withLook } from './target.ts'
import { waitCommand } from './waiting.ts'

const SINCE = z.coerce.number().int().min(0).optional().describe('only events after this id')

/** Read-only verbs. Without a running owner they recover the room into memory and change no byte. */
export function lookingCommands(host: Host, room: RoomProcess): readonly Command[] {
  return [
    statusCommand(host, room),
    eventsCommand(host, room),
    observeCommand(host, room),
    waitCommand(host, room),
    doctorCommand(host, room),
    exportCommand(host, room),
  ]
}

function statusCommand(host: Host, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace status',
    title: 'the state of the room',
    description: 'Shows version, members and what is open; works without a running room.',
    input: z.object({ room: ROOM_FLAG }),
    example: 'satchel workspace status --room plan.md',
    async run(_, flags, terminal) {
      const status = await looked(host, room, flags.room, {
        running: ({ address, token }) =>
          callOwner(address, { method: 'GET', path: '/workspace/status', token }),
        stopped: ({ rows, place }) => statusOf(rows, place),
      })
      await printAnswer(terminal, status as object, headlineOf(status))
      return 0
    },
  })
}

function statusOf(rows: Rows, place: RoomPlace) {
  const now = currentMoment(rows, realWorld.nowMicros()) // no timer has ended what expired while the room was closed
  const { workspace_id, name } = workspaceRow(rows)
  const { version, hash, bytes, substrate } = rows.document
  return {
    workspace_id,
    name,
    path: place.file,
    lifecycle: 'STOPPED',
    substrate,
    ...fileNote(substrate),
    version,
    content_hash: hash,
    bytes,
    counts: {
      pending_proposals: Number(rows.one('proposal_count', { status: 'pending' })?.['count']),
      active_leases: listed<Lease>(rows, 'lease_active').filter(({ expires_at }) => expires_at > now).length,
      participants: presentParticipants(rows).length,
    },
  }
}

function headlineOf(status: unknown): string {
  const { name, version, lifecycle } = status as ReturnType<typeof statusOf> // one of the two above
  return `Room ${name} at version ${version}, ${lifecycle.toLowerCase()}.`
}

function eventsCommand(host: Host, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace events',
    title: 'the stored events',
    description: 'Lists the stored events, oldest first; works without a running room.',
    input: z.object({ room: ROOM_FLAG, since: SINCE }),
    example: 'satchel workspace events --room plan.md --since 10',
    async run(_, flags, terminal) {
      const since = flags.since ?? 0
      const found = await looked(host, room, flags.room, {
        running: (target) => allEvents(target, since),
        stopped: ({ rows }) => ({
          events: eventsSince(rows, since, LIMITS.eventsKept),
          ...ringOf(rows, since),
        }),
      })
      const headline = `${counted(found.events.length, 'event')}.`
      await printAnswer(terminal, found, headline, { ...found, events: found.events.map(eventRow) })
      return 0
    },
  })
}

/** Every stored event after `since`, page by page. */
async function allEvents({ address, token }: Target, since: number): Promise<EventPage> {
  const events: RoomEvent[] = []
  let gap = false
  for (let after = since; ; ) {
    const path = `/workspace/events?since_event_id=${after}&limit=${LIMITS.listRows}`
    const page = (await callOwner(address, { method: 'GET', path, token })) as EventPage
    events.push(...page.events)
    gap ||= page.gap // each page says it of its own beginning
    const last = page.events.at(-1)
    if (!last || page.events.length < LIMITS.listRows) return { ...page, events, gap }
    after = last.event_id
  }
}

interface EventPage {
  readonly events: readonly RoomEvent[]
  readonly latest_event_id: number
  readonly oldest_event_id: number
  readonly gap: boolean
}

function observeCommand(host: Host, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace observe',
    title: 'follow the events as they happen',
    description: 'Prints each event as it happens, until stopped; with --json one envelope per line.',
    input: z.object({ room: ROOM_FLAG, since: SINCE }),
    example: 'satchel workspace observe --room plan.md --json',
    async run({ signal }, flags, terminal) {
      let since = flags.since ?? 0 // also of a renewed session
      return withLook(host, room, flags.room, async (target) => {
        const following = followEvents(target.address, { token: target.token, since, signal }, (event) => {
          if (event !== 'resync') since = event.event_id
          show(event, terminal)
        })
        await following.catch((thrown: unknown) => {
          if (!signal.aborted) throw thrown
        })
        if (signal.aborted) return 0
        await requireSession(target)
        throw refusals.owner_closed()
      })
    },
  })
}

/** Errors: `unauthorized`/`session_expired` where the room says so; none where it says nothing. */
async function requireSession({ address, token }: Target): Promise<void> {
  try {
    await callOwner(address, { method: 'GET', path: '/workspace/status', token })
  } catch (thrown) {
    if (isEnded(thrown)) throw thrown
  }
}

function show(event: RoomEvent | 'resync', terminal: Terminal): void {
  if (event === 'resync')
    terminal.note(
      'Events were lost, or the file is missing, invalid or readable again; see satchel workspace status.',
    )
  else terminal.write(`${terminal.json ? JSON.stringify(event) : eventLine(event)}\n`)
}

function doctorCommand(host: Host, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace doctor',
    title: 'check the room’s files',
    description:
      'Checks that the room can be recovered and that file and newest version agree; changes nothing.',
    input: z.object({ room: ROOM_FLAG }),
    example: 'satchel workspace doctor --room plan.md',
    async run(_, flags, terminal) {
      const place = namedPlace(room, flags.room)
      if (!place) throw refusals.room_not_named()
      const findings = await roomFindings(host, place)
      await printAnswer(terminal, { findings }, `${counted(findings.length, 'finding')}.`)
      return findings.some(({ level }) => level === 'problem') ? 3 : 0
    },
  })
}

/** What keeps a room from being looked at without being a fault of it. */
const LEVELS: Readonly<Record<string, Finding['level']>> = {
  room_not_found: 'warning',
  room_in_database: 'ok',
  room_locked: 'ok',
}

/** Findings about a room's files. Reads only. */
export async function roomFindings(host: Host, place: RoomPlace): Promise<readonly Finding[]> {
  try {
    if (await runningOwner(place)) return [{ level: 'ok', subject: 'room', detail: 'it is open and answers' }]
    const elsewhere = await ownedElsewhere(host, place, undefined)
    if (elsewhere) throw elsewhere
    return await inspected(host, place, ({ rows }) => [
      {
        level: 'ok',
        subject: 'room',
        detail: `recovers to version ${rows.document.version} (${Buffer.byteLength(rows.documentText())} bytes), event ${rows.latestEventId}`,
      },
      rows.document.substrate === 'ok'
        ? { level: 'ok', subject: 'file', detail: 'readable' }
        : {
            level: 'warning',
            subject: 'file',
            detail: fileNote(rows.document.substrate).file ?? 'readable',
          },
    ])
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    const level = LEVELS[thrown.reason] ?? 'problem'
    return [{ level, subject: 'room', detail: `${damagedPlace(thrown.details)}${thrown.message}` }]
  }
}

/** `journal-3.log at byte 412, record 57: `, or the part of it that is known. */
function damagedPlace(details: SatchelError['details']): string {
  const { file, offset, seq } = details ?? {}
  if (file === undefined) return ''
  const at = offset === undefined ? '' : ` at byte ${offset}`
  return `${file}${at}${seq === undefined ? '' : `, record ${seq}`}: `
}

function exportCommand(host: Host, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace export',
    title: 'write the room’s story to a folder',
    description:
      'Writes the document, the events and the status of the room into a folder, for keeping or for another tool. Replaces only an earlier export of this room.',
    input: z.object({ room: ROOM_FLAG, output: z.string().describe('folder to write, made when missing') }),
    positional: ['output'],
    example: 'satchel workspace export story --room plan.md',
    async run(_, flags, terminal) {
      const story = await looked(host, room, flags.room, {
        running: storyOfRunning,
        stopped: ({ rows, place }) => ({
          status: statusOf(rows, place) as unknown,
          document: rows.documentText(),
          events: eventsSince(rows, 0, LIMITS.eventsKept),
        }),
      })
      const folder = resolve(flags.output)
      await writeStory(folder, story)
      await printAnswer(
        terminal,
        { folder, events: story.events.length },
        'The story of the room is written.',
      )
      return 0
    },
  })
}

/** All of it is of the moment of the first answer. */
async function storyOfRunning(target: Target) {
  const ask = (path: string) =>
    callOwner(target.address, { method: 'GET', path: `/workspace/${path}`, token: target.token })
  const { status, latest_event_id } = (await ask('room')) as RoomMoment
  const { content } = (await ask(`read?version=${status.version}`)) as { content: string }
  const { events } = await allEvents(target, 0)
  return {
    status: status as unknown,
    document: content,
    events: events.filter(({ event_id }) => event_id <= latest_event_id),
  }
}

interface RoomMoment {
  readonly status: { readonly version: number }
  readonly latest_event_id: number
}
