import { briefOf, DEFAULT_BRIEF_TOKENS } from '../domain/brief.ts'
import { editText } from '../domain/json-edit.ts'
import { latestOf, newestFirst } from '../domain/latest.ts'
import { extension, isEditable } from '../domain/record.ts'
import { changeEdits } from '../domain/record-change.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { timeOf } from '../domain/record-time.ts'
import type { Project } from '../project.ts'
import { storedProjectId } from '../store/project-identity.ts'
import { ancestorsOfProcess, loadSessions, type NotedSession, noteSession } from '../store/sessions.ts'
import { assessRecord } from './check-freshness.ts'
import { claimedBy } from './create-record.ts'

/** The input of a hook's work. */
export interface HookCall {
  readonly project: Project
  /** The name used in records. */
  readonly session: string | undefined
  readonly harness: string
  /** How the session started: `startup`, `resume`, `clear`, `compact`, `fork`. */
  readonly source: string | undefined
  /** The records that can be read in time, newest first. */
  rows(): Promise<readonly RecordRow[]>
}

/** Stores the session with the ancestors of this process, and returns the earlier entry of the session. */
export async function noteStart({ project, session, source }: HookCall): Promise<NotedSession | undefined> {
  if (session === undefined) return undefined
  const { disk, layout } = project.store
  const before = (await loadSessions(disk, layout)).find((noted) => noted.session === session)
  const shown = before?.shown === true || source === 'resume'
  const noted = { session, at: project.now().toISOString(), ancestors: ancestorsOfProcess(), shown }
  // The brief can be shown even if the store cannot be written.
  await noteSession(disk, layout, noted).catch(() => undefined)
  return before
}

/** The brief for the start of a session, if it is configured: of the session's draft, else of the latest record. */
export async function sessionBrief(
  call: HookCall,
  before: NotedSession | undefined,
): Promise<string | undefined> {
  const { project, session, source } = call
  if (project.env['SATCHEL_NO_INJECT'] === '1') return undefined
  if (!project.config.inject_on.some((wanted) => wanted === source)) return undefined
  if (source === 'resume' && before?.shown === true) return undefined
  const rows = await call.rows()
  const { disk, layout } = project.store
  const row =
    draftOf(rows, session) ?? latestOf(rows, await storedProjectId(disk, layout)) ?? latestOf(rows, undefined)
  const stored = row && (await project.store.read(row.id))
  if (stored?.kind !== 'record') return undefined
  const { record, etag } = stored
  const assessment = await assessRecord(project, record)
  return briefOf({ record, etag, now: project.now(), ...assessment, maxTokens: DEFAULT_BRIEF_TOKENS }).text
}

/** The newest record that this session wrote and did not release. */
export function draftOf(rows: readonly RecordRow[], session: string | undefined): RecordRow | undefined {
  if (session === undefined) return undefined
  const own = rows.filter((row) => row.session === session && isEditable(row))
  return [...own].sort(newestFirst)[0]
}

/** Renews the session's claim when less than half of it is left. Leaves `updated_at`. */
export async function renewClaim(call: HookCall): Promise<void> {
  const { project, session } = call
  const now = project.now().getTime()
  const claimed = await claimOf(call)
  const expires = timeOf(claimed?.claim?.expires_at ?? '') ?? 0
  const ttlMs = project.config.claim_ttl_s * 1000
  if (!claimed || session === undefined || expires - now > ttlMs / 2) return
  await project.store.update(claimed.id, undefined, (current) => {
    if (current.kind === 'broken' || extension(current.record).claim?.by !== session) return undefined
    const claim = { by: session, expires_at: new Date(now + ttlMs).toISOString() }
    return editText(current.document, changeEdits(current.record, { claim }))
  })
}

/** Ends the session's claim; a resumed record becomes ready. */
export async function endClaim(call: HookCall): Promise<void> {
  const { project, session } = call
  const claimed = await claimOf(call)
  if (!claimed) return
  const at = project.now().toISOString()
  await project.store.update(claimed.id, undefined, (current) => {
    if (current.kind === 'broken' || extension(current.record).claim?.by !== session) return undefined
    const { record } = current
    const status = record.status === 'resumed' ? 'ready' : record.status
    const entry = { by: session ?? null, reason: 'session ended' }
    return editText(current.document, changeEdits(record, { status, claim: null, entry, at }))
  })
}

async function claimOf({ project, session, rows }: HookCall) {
  if (session === undefined) return undefined
  return claimedBy(await rows(), session, project.now().getTime())
}
