import { join } from 'node:path'
import {
  ancestorProcesses,
  type Disk,
  isJsonObject,
  type ProcessMark,
  systemProcesses,
} from '../../../server/plugin.ts'
import { isCommitId } from '../domain/commit-id.ts'
import { isUuid } from '../domain/record-id.ts'
import { timeOf } from '../domain/record-time.ts'
import { replaceLocalFile } from './ensure-folder.ts'
import type { Layout } from './layout.ts'

/** A session that a hook reported, or a server that knew none, with the ancestors of that process. */
export interface NotedSession {
  readonly session: string
  /** RFC 3339. */
  readonly at: string
  readonly ancestors: readonly ProcessMark[]
  /** Its brief was already shown at a resume. */
  readonly shown: boolean
  /** Digest of what it was told then. */
  readonly told?: string
  /** HEAD and time when it was first noted. */
  readonly head?: string
  readonly began?: string
  /** When it was last reminded of its record. */
  readonly nudged?: string
  /** The record that it was last shown by a hook, or read to go on with. */
  readonly given?: string
  /** When its harness said that it ended. */
  readonly ended?: string
  /** Only of a server that knew no session: itself. */
  readonly process?: ProcessMark
}

const MAX_LEVELS = 3 // design handoff, section 4
const MAX_SESSIONS = 50
const FILE = 'sessions.json'

/** The ancestors of this process, nearest first; they do not change while it runs. */
export function ancestorsOfProcess(): readonly ProcessMark[] {
  ancestors ??= ancestorProcesses(MAX_LEVELS)
  return ancestors
}

let ancestors: readonly ProcessMark[] | undefined

/** The sessions that hooks reported, newest last; none if the file is damaged. */
export async function loadSessions(disk: Disk, layout: Layout): Promise<readonly NotedSession[]> {
  try {
    // Release 0.1.0 kept them in the cache folder.
    const file = (await disk.stat(join(layout.local, FILE))) ? layout.local : layout.cache
    const value: unknown = JSON.parse((await disk.readFile(join(file, FILE))).toString('utf8'))
    return Array.isArray(value) ? value.flatMap(notedIn) : []
  } catch {
    return [] // without the file a session has no name
  }
}

/** Stores a session, replacing its earlier entry. */
export async function noteSession(disk: Disk, layout: Layout, noted: NotedSession): Promise<void> {
  const others = (await loadSessions(disk, layout)).filter(({ session }) => session !== noted.session)
  const text = JSON.stringify([...others, noted].slice(-MAX_SESSIONS))
  await replaceLocalFile(disk, layout.local, 'sessions', text)
}

/** The session of a harness that a process with these ancestors belongs to: the nearest shared ancestor wins, then the newest. */
export function sessionAmong(
  sessions: readonly NotedSession[],
  ancestors: readonly ProcessMark[],
): NotedSession | undefined {
  const reported = sessions.filter(({ process }) => process === undefined)
  for (const { pid, start } of ancestors) {
    const here = reported.filter((noted) =>
      noted.ancestors.some((mark) => mark.pid === pid && mark.start === start),
    )
    const [newest] = [...here].sort((a, b) => (a.at < b.at ? 1 : -1))
    if (newest) return newest
  }
  return undefined
}

/**
 * The names of the servers that wrote before a hook reported their session. A server that has ended counts no longer: its
 * ancestors may have had other sessions since.
 */
export function serverNames(sessions: readonly NotedSession[], session: string): readonly string[] {
  return sessions.flatMap((noted) =>
    noted.process !== undefined &&
    sessionAmong(sessions, noted.ancestors)?.session === session &&
    isAlive(noted.process)
      ? noted.session
      : [],
  )
}

/** Lower-case ids of the records that a session goes on with, as a hook or a resume gave them under one of its names. */
export function givenTo(sessions: readonly NotedSession[], names: readonly string[]): readonly string[] {
  return sessions.flatMap(({ session, given }) =>
    given !== undefined && names.includes(session) ? given.toLowerCase() : [],
  )
}

/**
 * True for a session that said so, whose processes have all ended, or of which nothing was heard for `quietMs`. `lastMs`
 * is when it last wrote: no hook may have noted it.
 */
export function hasEnded(
  noted: NotedSession | undefined,
  { lastMs, nowMs, quietMs }: { readonly lastMs: number; readonly nowMs: number; readonly quietMs: number },
  isRunning: (process: ProcessMark) => boolean = isAlive,
): boolean {
  if (noted?.ended !== undefined) return true
  const processes = noted?.process ? [noted.process] : (noted?.ancestors ?? [])
  if (processes.length > 0 && !processes.some(isRunning)) return true
  return nowMs - Math.max(lastMs, timeOf(noted?.at ?? '') ?? 0) > quietMs
}

/** Other sessions that were given a record and have not ended: a hook claims nothing. */
export function othersWith(
  sessions: readonly NotedSession[],
  {
    id,
    names,
    nowMs,
    quietMs,
  }: {
    readonly id: string
    readonly names: readonly string[]
    readonly nowMs: number
    readonly quietMs: number
  },
): readonly NotedSession[] {
  return sessions.filter(
    (noted) =>
      noted.given?.toLowerCase() === id.toLowerCase() &&
      !names.includes(noted.session) &&
      !hasEnded(noted, { lastMs: 0, nowMs, quietMs }),
  )
}

function isAlive({ pid, start }: ProcessMark): boolean {
  return systemProcesses.isRunning(pid) && (systemProcesses.start(pid) ?? '') === start
}

/** One entry of the file; members of another shape count as absent, because a checkout may contain a foreign file. */
function notedIn(value: unknown): NotedSession[] {
  if (!isJsonObject(value)) return []
  const { session, at, ancestors, shown, told, head, began, nudged, given, ended, process } = value
  if (typeof session !== 'string' || typeof at !== 'string' || !Array.isArray(ancestors)) return []
  return [
    {
      session,
      at,
      ancestors: ancestors.filter(isMark),
      shown: shown === true,
      ...(typeof told === 'string' && { told }),
      ...(typeof head === 'string' && isCommitId(head) && { head }),
      ...(typeof began === 'string' && { began }),
      ...(typeof nudged === 'string' && { nudged }),
      ...(typeof given === 'string' && isUuid(given) && { given }),
      ...(typeof ended === 'string' && { ended }),
      ...(isMark(process) && { process }),
    },
  ]
}

function isMark(value: unknown): value is ProcessMark {
  return isJsonObject(value) && typeof value['pid'] === 'number' && typeof value['start'] === 'string'
}
