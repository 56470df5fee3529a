import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { callOwner } from '../../plugins/workspace/connection/link.ts'
import { roomPlace } from '../../plugins/workspace/engine/open-room.ts'
import type { Joined } from '../../plugins/workspace/room/members.ts'
import type { Capability } from '../../server/plugin.ts'
import { type Connection, openConnection } from './connection.ts'
import type { ReadingPlace } from './event-readers.ts'

export interface ServedRoomOptions {
  /** The command line of satchel, without a verb. */
  readonly program: readonly string[]
  /** Where its folder is made; absent: the folder for temporary files. */
  readonly directory: string | undefined
  readonly maxStreams: number
}

/** A room that a separate process serves, as `satchel workspace open` does. The caller closes it. */
export interface ServedRoom {
  readonly pid: number
  /** The Markdown file. */
  readonly file: string
  /** Where agents reach it: `http://127.0.0.1:<port>`. */
  readonly ingress: string
  readonly socket: string
  /** Redeems a fresh invitation: a participant and its session. */
  join(name: string, capabilities: readonly Capability[]): Promise<Joined>
  /** Exchanges the printed link for a session of the owner page: where the page is, and its cookie. Works once. */
  claim(): Promise<OwnerPage>
  /** One request over a connection that is kept open. Errors: the answer's text, unless its status is 2xx. */
  ask(method: 'GET' | 'POST', path: string, token: string, body?: object): Promise<Record<string, unknown>>
  /** Stops it as a signal would, and removes its folder. */
  close(): Promise<void>
}

/** The owner page as a browser holds it. */
export interface OwnerPage {
  readonly origin: string
  readonly cookie: string
}

/** Opens a room around a new file. Errors: what the process wrote on stderr, when it ended before it served. */
export async function openServedRoom(options: ServedRoomOptions): Promise<ServedRoom> {
  const folder = await realpath(await mkdtemp(join(options.directory ?? tmpdir(), 'satchel-bench-')))
  const file = join(folder, 'plan.md')
  await writeFile(file, '# Plan\n')
  const child = startServer(options, file, folder)
  const ended = once(child, 'exit')
  let connection: Connection | undefined
  const close = async (): Promise<void> => {
    connection?.cutOff()
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { ingress, link } = await announced(child)
    const { socket } = roomPlace(file, {})
    const kept = openConnection(ingress)
    connection = kept
    return {
      pid: child.pid ?? 0,
      file,
      ingress,
      socket,
      join: (name, capabilities) => joinBySocket(socket, name, capabilities),
      claim: () => claimed(link),
      async ask(method, path, token, body) {
        const answer = await kept.ask({ method, path, token, ...(body && { body }) })
        if (answer.status < 300) return answer.body
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      },
      close,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

function startServer({ program, maxStreams }: ServedRoomOptions, file: string, folder: string): ChildProcess {
  const [command = process.execPath, ...args] = program
  const flags = ['--owner-port', '0', '--ingress-port', '0', '--max-streams', String(maxStreams), '--json']
  return spawn(command, [...args, 'workspace', 'open', file, ...flags], {
    cwd: folder, // no configuration of the user's own
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

interface Announced {
  readonly ingress: string
  /** Of the owner page, with its key. */
  readonly link: string
}

/** The document that `workspace open --json` prints once it serves. */
async function announced(child: ChildProcess): Promise<Announced> {
  if (!child.stdout || !child.stderr) throw new TypeError('the pipes of a child are there')
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2000)
  })
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  throw new Error(`satchel workspace open ended before it served the room.\n${complaint}`)
}

async function claimed(link: string): Promise<OwnerPage> {
  const { origin, hash } = new URL(link)
  const headers = { origin, 'content-type': 'application/json', 'x-satchel-request': '1' }
  const body = JSON.stringify({ key: hash.slice('#k='.length) })
  const answer = await fetch(`${origin}/owner/claim`, { method: 'POST', headers, body })
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0]
  if (cookie === undefined) throw new Error(`POST /owner/claim: ${answer.status} ${await answer.text()}`)
  return { origin, cookie }
}

/** At the socket, where joins are not counted. */
async function joinBySocket(
  socket: string,
  name: string,
  capabilities: readonly Capability[],
): Promise<Joined> {
  const invited = (await callOwner(
    { socket },
    { method: 'POST', path: '/local/invite', body: { capabilities } },
  )) as { uri: string } // what the route gives
  const body = { invite: invited.uri, name }
  return (await callOwner({ socket }, { method: 'POST', path: '/session/join', body })) as Joined // likewise
}

/** Id of the newest event. */
export async function newestEvent(room: ServedRoom, token: string): Promise<number> {
  const { latest_event_id } = await room.ask('GET', '/workspace/events?since_event_id=0&limit=1', token)
  return Number(latest_event_id)
}

const READERS_A_SESSION = 125 // a room has 32 sessions

/** Places at which so many readers follow the events that come from now on, in sessions of their own. */
export async function readingPlaces(room: ServedRoom, readers: number): Promise<readonly ReadingPlace[]> {
  const sessions: Joined[] = []
  for (let at = 0; at < readers; at += READERS_A_SESSION) {
    sessions.push(await room.join(`reader ${at}`, ['observe']))
  }
  const token = sessions[0]?.token ?? ''
  const path = `/workspace/observe?since_event_id=${await newestEvent(room, token)}`
  const port = Number(new URL(room.ingress).port)
  return Array.from({ length: readers }, (_, at) => ({
    port,
    path,
    token: sessions[Math.floor(at / READERS_A_SESSION)]?.token ?? '',
  }))
}
