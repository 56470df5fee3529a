import { visibleLine } from '../../../server/plugin.ts'
import { ageOf, briefOf, DEFAULT_BRIEF_TOKENS } from '../domain/brief.ts'
import { isAltered } from '../domain/content-digest.ts'
import { wholeChars } from '../domain/fence.ts'
import { isNotes } from '../domain/noted-work.ts'
import { extension, isEditable, isLive } from '../domain/record.ts'
import { sha256 } from '../domain/record-id.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { isFuture, newestOf, type RecordTable } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import { claimOn } from '../store/claims.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { assessRecord } from './check-freshness.ts'
import { continueFrom } from './continue-from.ts'
import type { HookCall, Noted } from './hook-session.ts'
import { parentOfNotes, sessionsThatEnded } from './notes-on.ts'
import { addedTo, damageNotice, draftNotices } from './notices.ts'
import { filesNotice } from './records-in-files.ts'

const TITLE_CHARS = 80

/** What a session is told at its start. */
export interface StartContext {
  /** Absent: nothing was found. Empty: it was told before. */
  readonly text?: string
  /** The record whose brief it was given. */
  readonly given?: string
  /** Digest of what it was told of that record, without its age. */
  readonly told?: string
  /** Files of the store that cannot be read, in one line. */
  readonly damage?: string
}

/**
 * A brief where that is configured, at `startup` one line if `handoff_resume` has something to give. Either names what it
 * leaves out: drafts of ended sessions, and damaged records.
 */
export async function startContext(call: HookCall, noted: Noted): Promise<StartContext> {
  const { project, source } = call
  const { inject_on } = project.config
  if (!isToldAt(project, source)) return {}
  const isInjected = inject_on.some((wanted) => wanted === source)
  const told = isInjected ? await brief(call, noted) : await waiting(call, noted)
  const damage = damageNotice(await call.ask((table) => table.problems()))
  const inFiles = await filesNotice(project)
  const lines = [...(told?.lines ?? []), ...(damage === undefined ? [] : [damage]), ...inFiles]
  const digest = told?.mark && sha256([told.mark, damage ?? ''].join('\n'))
  // Its transcript still has what it was told at the last resume.
  if (source === 'resume' && digest !== undefined && digest === noted.told) return { text: '' }
  return {
    ...(lines.length > 0 && { text: lines.join('\n') }),
    ...(told?.given !== undefined && { given: told.given }),
    ...(digest !== undefined && { told: digest }),
    ...(damage !== undefined && { damage }),
  }
}

interface Told {
  readonly lines: readonly string[]
  readonly given?: string
  /** The same for the same record in the same state of the project. */
  readonly mark?: string
}

/** Whether a session is told anything at a start of this kind. */
export function isToldAt(
  { env, config }: Pick<Project, 'env' | 'config'>,
  source: string | undefined,
): boolean {
  const { inject_on } = config
  if (env['SATCHEL_NO_INJECT'] === '1' || inject_on.length === 0) return false
  return source === 'startup' || inject_on.some((wanted) => wanted === source)
}

async function brief(call: HookCall, { names }: Noted): Promise<Told | undefined> {
  const { project } = call
  const row = await call.ask((table) => continueFrom(project, table, names))
  const stored = row && (await project.store.read(row.id))
  if (stored?.kind !== 'record') return undefined
  const { record, etag, id } = stored
  const assessment = await assessRecord(project, record)
  const parts = { record, etag, isAltered: isAltered(stored), now: project.now(), ...assessment }
  const { text } = briefOf({ ...parts, maxTokens: DEFAULT_BRIEF_TOKENS })
  const drafts = await call.ask((table) => draftNotices(project, table, stored, names))
  const withoutAge = text.slice(text.indexOf('\n'))
  return { lines: [text, ...drafts], given: id, mark: [etag, withoutAge, ...drafts].join('\n') }
}

/** Names what `handoff_resume` would give. The title is text of a record: one short line, quoted. */
async function waiting(call: HookCall, { names }: Noted): Promise<Told | undefined> {
  const { project } = call
  const { row, ready } = await call.ask(async (table) => ({
    row: await continueFrom(project, table, names),
    ready: await readyIn(project, table),
  }))
  const stored = row && (await project.store.read(row.id))
  if (row && stored?.kind === 'record') {
    const current = await introduced(call, stored, { names, ready })
    const draft = current === undefined ? await leftDraft(project, row, stored) : undefined
    const others = draft === undefined ? undefined : await readyById(project, ready)
    const told = current ?? draft
    if (told !== undefined) {
      const drafts = await call.ask((table) => draftNotices(project, table, stored, names))
      const line = [`${told}; resume with handoff_resume`, ...(others === undefined ? [] : [others])].join(
        '. ',
      )
      return { lines: [line, ...drafts] }
    }
  }
  // Another session is at it.
  const other = await readyById(project, ready)
  return other === undefined ? undefined : { lines: [other] }
}

/** A described draft whose session has ended, in words. What a command without a session wrote was left by no session. */
async function leftDraft(
  project: Project,
  row: RecordRow,
  stored: StoredRecord,
): Promise<string | undefined> {
  const { record } = stored
  const isDescribed = isEditable(record) && !isNotes(record) && !extension(record).skeleton
  if (!isDescribed || row.session === null || !(await sessionsThatEnded(project))(row)) return undefined
  return `1 draft of an ended session, not released: ${titled(project, stored)}`
}

/**
 * The newest record that is ready, with the call that gives it. One that is dated ahead of the clock is named where there is
 * no other.
 */
async function readyById(project: Project, ready: Ready): Promise<string | undefined> {
  const found = ready.newest && (await project.store.read(ready.newest.id))
  if (found?.kind !== 'record') return undefined
  const withId = `handoff_resume ${JSON.stringify({ id: found.id })}`
  return `${readyCount(ready)}: ${titled(project, found)}; resume with ${withId}`
}

interface Ready {
  readonly newest: RecordRow | undefined
  readonly count: number
}

async function readyIn(project: Project, table: RecordTable): Promise<Ready> {
  const nowMs = project.now().getTime()
  const all = [...table.records].filter((record) => table.status(record) === 'ready' && table.isLeaf(record))
  const dated = all.filter((record) => !isFuture(table.updatedMs(record), nowMs))
  const found = dated.length > 0 ? dated : all
  const [newest] = await table.load(newestOf(table, found).slice(0, 1))
  return { newest, count: found.length }
}

/** The record that `handoff_resume` gives, in words; undefined for one that another session works on, and for a draft. */
async function introduced(
  { project }: HookCall,
  stored: StoredRecord,
  { names, ready }: { readonly names: readonly string[]; readonly ready: Ready },
): Promise<string | undefined> {
  const { record, id } = stored
  const parent = isNotes(record) ? await parentOfNotes(project, record) : undefined
  const claim = await claimOn(project.store, parent?.record ?? record, project.now().getTime())
  const isHeld = isLive(claim, project.now().getTime()) && !names.includes(claim?.by ?? '')
  if (isHeld) return undefined
  const title = titled(project, stored)
  if (isNotes(record)) {
    const about = parent ? `on a handoff, ${title}` : title
    return `${addedTo(parent?.record, record)} of an ended session ${about}`
  }
  if (record.status === 'ready')
    return `${readyCount(ready.newest?.id === id ? ready : { ...ready, newest: undefined })}: ${title}`
  return record.status === 'resumed' ? `1 handoff resumed and not finished: ${title}` : undefined
}

function readyCount({ newest, count }: Ready): string {
  if (count === 1) return '1 handoff ready'
  return `${count} handoffs ready, ${newest ? 'the newest' : 'the one to continue from'}`
}

function titled(project: Project, stored: StoredRecord): string {
  const { work, updated_at } = stored.record
  const title = JSON.stringify(wholeChars(visibleLine(work.title), TITLE_CHARS))
  const altered = isAltered(stored) ? ', its content changed since its release' : ''
  return `${title}, ${ageOf(updated_at, project.now())}${altered}`
}
