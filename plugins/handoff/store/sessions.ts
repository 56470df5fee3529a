import { join } from 'node:path'
import { type Disk, isJsonObject, parentProcess, processStart } from '../../../server/plugin.ts'
import { replaceLocalFile } from './ensure-folder.ts'
import type { Layout } from './layout.ts'

/** Identifies a process; a pid alone is reused. */
export interface ProcessMark {
  readonly pid: number
  readonly start: string
}

/** A harness session that a hook reported, with the ancestors of that hook. */
export interface NotedSession {
  readonly session: string
  /** RFC 3339. */
  readonly at: string
  readonly ancestors: readonly ProcessMark[]
  /** Its brief was already shown at a resume. */
  readonly shown: boolean
}

const MAX_LEVELS = 3 // design handoff, section 4
const MAX_SESSIONS = 50
const FILE = 'sessions.json'

/** The ancestors of this process, nearest first. Empty without `/proc`. */
export function ancestorsOfProcess(pid: number = process.pid, levels = MAX_LEVELS): readonly ProcessMark[] {
  const ancestors: ProcessMark[] = []
  for (
    let at = parentProcess(pid);
    at !== undefined && at > 1 && ancestors.length < levels;
    at = parentProcess(at)
  ) {
    const start = processStart(at)
    if (start !== undefined) ancestors.push({ pid: at, start })
  }
  return ancestors
}

/** The sessions that hooks reported, newest last; none if the file is damaged. */
export async function loadSessions(disk: Disk, layout: Layout): Promise<readonly NotedSession[]> {
  try {
    // Release 0.1.0 kept them in the cache folder.
    const file = (await disk.stat(join(layout.local, FILE))) ? layout.local : layout.cache
    const value: unknown = JSON.parse((await disk.readFile(join(file, FILE))).toString('utf8'))
    return Array.isArray(value) ? value.filter(isNoted) : []
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

/** The session this process belongs to: the nearest shared ancestor wins, then the newest. */
export function sessionAmong(
  sessions: readonly NotedSession[],
  ancestors: readonly ProcessMark[],
): NotedSession | undefined {
  for (const { pid, start } of ancestors) {
    const here = sessions.filter((noted) =>
      noted.ancestors.some((mark) => mark.pid === pid && mark.start === start),
    )
    const [newest] = [...here].sort((a, b) => (a.at < b.at ? 1 : -1))
    if (newest) return newest
  }
  return undefined
}

function isNoted(value: unknown): value is NotedSession {
  if (!isJsonObject(value) || typeof value['session'] !== 'string' || typeof value['at'] !== 'string')
    return false
  return Array.isArray(value['ancestors']) && value['ancestors'].every(isJsonObject)
}
