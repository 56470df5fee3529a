import { briefOf, DEFAULT_BRIEF_TOKENS } from '../domain/brief.ts'
import { latestOf, newestFirst } from '../domain/latest.ts'
import { isEditable } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import type { HookCall } from '../hook-call.ts'
import { storedProjectId } from '../store/project-identity.ts'
import { ancestorsOfProcess, loadSessions, type NotedSession, noteSession } from '../store/sessions.ts'
import { standingOf } from './check-freshness.ts'

/** Notes the harness's session under the processes above this hook, and gives what was known of it before. */
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
  // A store that cannot be written still has a brief to show.
  await noteSession(disk, layout, noted).catch(() => undefined)
  return before
}

/** The brief to show at a start, if the configuration wants one: of this session's draft, else of the latest record. */
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
  const standing = await standingOf(handoffs, project, record)
  return briefOf({ record, etag, now: handoffs.now(), ...standing, maxTokens: DEFAULT_BRIEF_TOKENS }).text
}

/** The newest record this session has written and not released. */
export function draftOf(rows: readonly RecordRow[], session: string | undefined): RecordRow | undefined {
  if (session === undefined) return undefined
  const own = rows.filter((row) => row.session === session && isEditable(row))
  return [...own].sort(newestFirst)[0]
}
