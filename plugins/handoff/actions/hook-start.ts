import { briefOf, DEFAULT_BRIEF_TOKENS } from '../domain/brief.ts'
import { latestOf, newestFirst } from '../domain/latest.ts'
import { isEditable } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import type { HookCall } from '../hook-call.ts'
import { storedProjectId } from '../store/project-identity.ts'
import { ancestorsOfProcess, loadSessions, type NotedSession, noteSession } from '../store/sessions.ts'
import { assessRecord } from './check-freshness.ts'

/** Stores the session with the ancestors of this process, and returns the earlier entry of the session. */
export async function noteStart({
  handoffs,
  project,
  session,
  source,
}: HookCall): Promise<NotedSession | undefined> {
  if (session === undefined) return undefined
  const { disk, layout } = project.store
  const before = (await loadSessions(disk, layout)).find((noted) => noted.session === session)
  const shown = before?.shown === true || source === 'resume'
  const noted = { session, at: handoffs.now().toISOString(), ancestors: ancestorsOfProcess(), shown }
  // The brief can be shown even if the store cannot be written.
  await noteSession(disk, layout, noted).catch(() => undefined)
  return before
}

/** The brief for the start of a session, if it is configured: of the session's draft, else of the latest record. */
export async function sessionBrief(
  call: HookCall,
  before: NotedSession | undefined,
): Promise<string | undefined> {
  const { handoffs, project, session, source } = call
  if (handoffs.env['SATCHEL_NO_INJECT'] === '1') return undefined
  if (!handoffs.config.inject_on.some((wanted) => wanted === source)) return undefined
  if (source === 'resume' && before?.shown === true) return undefined
  const rows = await call.rows()
  const { disk, layout } = project.store
  const row =
    draftOf(rows, session) ?? latestOf(rows, await storedProjectId(disk, layout)) ?? latestOf(rows, undefined)
  const stored = row && (await project.store.read(row.id))
  if (stored?.kind !== 'record') return undefined
  const { record, etag } = stored
  const assessment = await assessRecord(handoffs, project, record)
  return briefOf({ record, etag, now: handoffs.now(), ...assessment, maxTokens: DEFAULT_BRIEF_TOKENS }).text
}

/** The newest record that this session wrote and did not release. */
export function draftOf(rows: readonly RecordRow[], session: string | undefined): RecordRow | undefined {
  if (session === undefined) return undefined
  const own = rows.filter((row) => row.session === session && isEditable(row))
  return [...own].sort(newestFirst)[0]
}
