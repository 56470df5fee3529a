import { readdir, readFile, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import * as z from 'zod'
import {
  type Command,
  type Host,
  homeFolder,
  isSatchelError,
  makeFolder,
  removeFile,
  withUserLock,
  writeFileDurably,
} from '../../../server/plugin.ts'
import {
  callOwner,
  type LinkCall,
  LinkLost,
  LinkSilent,
  type OwnerAddress,
  PING_LIMIT_MS,
} from '../connection/link.ts'
import { lostOwner } from '../connection/lost-owner.ts'
import { isOfAnotherPlace } from '../connection/place-mark.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import { sha256 } from '../domain/fingerprint.ts'
import { LOOKING } from '../domain/session.ts'
import { lastOwner, type RoomPlace } from '../engine/open-room.ts'
import { refusals } from '../reasons.ts'
import type { Joined } from '../room/members.ts'
import { roomFilesAt } from '../room-files.ts'
import { CLI_NAME } from '../routes/local.ts'

/** `--room`, which names the room of a verb. */
export const ROOM_FLAG = z.string().optional().describe('the Markdown file of the room')

/** The command, with a room completed by those that were opened; a file that is none yet completes as a file. */
export function completingRooms(command: Command): Command {
  return 'room' in command.input.shape ? { ...command, completes: { room: roomFilesAt } } : command
}

/** Where a verb's calls go, and with which session. */
export interface Target {
  readonly address: OwnerAddress
  readonly token: string
}

/** The place of the room that a verb names; undefined if it can only mean a joined session. */
export function namedPlace(room: RoomProcess, file: string | undefined): RoomPlace | undefined {
  if (file !== undefined) room.configure({ file: resolve(file) })
  try {
    return room.place()
  } catch (thrown) {
    if (isSatchelError(thrown) && thrown.reason === 'room_not_running') return undefined
    throw thrown
  }
}

/** The running owner of a room, if there is one. Reads only. Errors: `unavailable`/`room_owner_lost` if it is silent. */
export async function runningOwner(place: RoomPlace): Promise<OwnerAddress | undefined> {
  const record = await lastOwner(place)
  if (!record) return undefined
  const address = { socket: record.socket, pid: record.pid }
  try {
    const ping = await callOwner(address, { method: 'GET', path: '/local/ping', limitMs: PING_LIMIT_MS })
    return isOfAnotherPlace(ping, place.sidecar) ? undefined : address
  } catch (thrown) {
    // It listens and does not answer: it is not stopped.
    if (thrown instanceof LinkSilent) throw lostOwner(thrown)
    if (thrown instanceof LinkLost) return undefined
    throw thrown
  }
}

/** The running owner of a room. Errors: those of `runningOwner`; one that says that no process of this machine has it open. */
async function requireOwner(room: RoomProcess, place: RoomPlace): Promise<OwnerAddress> {
  const address = await runningOwner(place)
  if (address) return address
  throw (await room.elsewhere()) ?? refusals.room_not_running({ file: place.file })
}

/** Asks the owner of the room that a verb names at its socket. Errors: `unavailable`/`room_not_running`, those of `asking`. */
export async function askOwner(
  room: RoomProcess,
  file: string | undefined,
  { path, body }: Required<Pick<LinkCall, 'path' | 'body'>>,
): Promise<unknown> {
  if (file !== undefined) room.configure({ file: resolve(file) })
  const address = await requireOwner(room, room.place())
  return asking(address, () => callOwner(address, { method: 'POST', path, body }))
}

/**
 * Runs `work`, which calls the room at this address.
 * Errors: `unavailable`/`transport_unavailable` or `room_owner_lost` if the room stopped answering; those of `work`.
 */
export async function asking<T>(address: OwnerAddress, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof LinkLost)) throw thrown
    if ('socket' in address) throw lostOwner(thrown)
    throw refusals.transport_unavailable({ address: address.url }, { cause: thrown })
  }
}

/**
 * Runs `work` as the room's owner through the process that has it open, or with the session joined last if no file is
 * named. A session created for this ends with it. Errors: `room_not_running`, those of `asWhoJoined` and `work`.
 */
export async function withTarget<T>(
  host: Host,
  room: RoomProcess,
  file: string | undefined,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const place = namedPlace(room, file)
  if (!place) return asWhoJoined(host, work)
  const address = await requireOwner(room, place)
  return asking(address, () => asOwner(address, work))
}

/**
 * Runs `work` with the session joined last, and again with its renewal where it ran out.
 * Errors: `room_not_running` where none is stored, `session_expired` for one that stays ended, those of `asking` and `work`.
 */
export async function asWhoJoined<T>(host: Host, work: (target: Target) => Promise<T>): Promise<T> {
  const saved = await savedSession(host)
  const address = { url: saved.url }
  return asking(address, async () => {
    try {
      return await work({ address, token: saved.token })
    } catch (thrown) {
      if (!isEnded(thrown)) throw thrown
      return work({ address, token: await renewSession(host, saved) })
    }
  })
}

/** True where the room knows the session, and says that it has ended. */
export function isEnded(thrown: unknown): boolean {
  return isSatchelError(thrown) && thrown.reason === 'session_expired'
}

/** Longer than a room that answers takes to renew a session. */
const RENEWAL_MS = 5_000

/**
 * The new token of a stored session that ran out, stored in its place. The room gives it once: of two processes the
 * second one finds it stored. Errors: `LinkLost`, the refusals of the room, `invalid`/`file_not_created`;
 * `unavailable`/`transport_unavailable` if the renewal of another process does not end.
 */
export async function renewSession(host: Host, saved: SavedSession): Promise<string> {
  const file = fileNameOf(saved)
  const lock = {
    path: join(sessionFolder(host), '.locks', file),
    waitMs: RENEWAL_MS,
    held: () => refusals.transport_unavailable({ address: saved.url }),
    failed: (cause: string, thrown: unknown) => refusals.file_not_created({ file, cause }, { cause: thrown }),
  }
  return withUserLock(lock, async () => {
    const now = (await savedSessions(host)).find((one) => fileNameOf(one) === file)
    return now && now.token !== saved.token ? now.token : renewedToken(host, saved)
  })
}

async function renewedToken(host: Host, saved: SavedSession): Promise<string> {
  const { url, token } = saved
  const call = { method: 'POST', path: '/session/renew', body: { token } } as const
  const joined = (await callOwner({ url }, call)) as Joined // the route's answer
  await saveSession(host, { ...saved, ...joined })
  return joined.token
}

/**
 * The same for work that only looks: with the owner's standing at the socket, so that no session is created and nothing
 * is stored. Errors: those of `withTarget`.
 */
export async function withLook<T>(
  host: Host,
  room: RoomProcess,
  file: string | undefined,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const place = namedPlace(room, file)
  if (!place) return withTarget(host, room, file, work)
  const address = await requireOwner(room, place)
  return asking(address, () => work({ address, token: LOOKING.token }))
}

async function asOwner<T>(address: OwnerAddress, work: (target: Target) => Promise<T>): Promise<T> {
  const body = { name: CLI_NAME, as_owner: true }
  const joined = (await callOwner(address, { method: 'POST', path: '/local/join', body })) as Joined
  try {
    return await work({ address, token: joined.token })
  } finally {
    const path = `/workspace/sessions/${joined.session_id}`
    await callOwner(address, { method: 'DELETE', path, token: joined.token }).catch(() => undefined) // it had ended already
  }
}

/** A session that `join` stored; only this user can read its token. */
export interface SavedSession extends Joined {
  readonly url: string
  /** The client of the link that it belongs to; absent: it is of the command line, or of a client without its own. */
  readonly client?: string
  /** Hash of the secret of the invitation that a link redeemed. */
  readonly invited_by?: string
}

/** Below the home of this user, never below the working folder: a repository must not get a token. */
export function sessionFolder({ env }: Pick<Host, 'env'>): string {
  const named = env['XDG_CONFIG_HOME'] ?? '' // one that is relative counts for nothing, by its specification
  const base = isAbsolute(named) ? named : join(env['HOME'] || homeFolder(), '.config')
  return join(base, 'satchel', 'sessions')
}

/** Stores a session for later verbs, mode 0600. */
export async function saveSession(host: Host, saved: SavedSession): Promise<void> {
  const folder = sessionFolder(host)
  await makeFolder(folder, 0o700)
  const path = join(folder, fileNameOf(saved))
  await writeFileDurably(path, `${JSON.stringify(saved)}\n`, { mode: 0o600 })
}

/** One session of the command line for a room, and one for each client of a link. */
function fileNameOf({ workspace_id, client }: Pick<SavedSession, 'workspace_id' | 'client'>): string {
  const ofClient = client === undefined ? '' : `-${sha256(client).slice(0, 16)}`
  return `${workspace_id}${ofClient}.json`
}

/** Forgets a stored session. */
export async function forgetSession(host: Host, workspaceId: string): Promise<void> {
  await removeFile(join(sessionFolder(host), `${workspaceId}.json`))
}

/** The session joined last. Errors: `unavailable`/`room_not_running` when none is stored. */
export async function savedSession(host: Host): Promise<SavedSession> {
  const newest = (await savedSessions(host)).find(({ client }) => client === undefined)
  if (newest) return newest
  throw refusals.room_not_named()
}

/** The sessions at the room of this origin (`http://127.0.0.1:4181`) that are stored, newest first. */
export async function savedSessionsAt(host: Host, origin: string): Promise<readonly SavedSession[]> {
  return (await savedSessions(host)).filter(({ url }) => URL.canParse(url) && new URL(url).origin === origin)
}

/** All stored sessions, newest first. */
async function savedSessions(host: Host): Promise<readonly SavedSession[]> {
  const folder = sessionFolder(host)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  const stored = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
      return { at: mtimeMs, session: JSON.parse(text) as SavedSession } // written by saveSession
    }),
  )
  return stored.sort((a, b) => b.at - a.at).map(({ session }) => session)
}
