import { visibleLine } from '../../../server/plugin.ts'
import { ageOf, briefOf, DEFAULT_BRIEF_TOKENS } from '../domain/brief.ts'
import { wholeChars } from '../domain/fence.ts'
import { leavesOf, newestFirst } from '../domain/latest.ts'
import { assessRecord } from './check-freshness.ts'
import { continueFrom } from './continue-from.ts'
import type { HookCall, Noted } from './hook-session.ts'

const TITLE_CHARS = 80

/** What a session is told at its start: a brief where that is configured, at `startup` one line if a record is ready. */
export async function startContext(call: HookCall, noted: Noted): Promise<string | undefined> {
  const { project, source } = call
  const { inject_on } = project.config
  if (project.env['SATCHEL_NO_INJECT'] === '1' || inject_on.length === 0) return undefined
  if (inject_on.some((wanted) => wanted === source)) return brief(call, noted)
  return source === 'startup' ? waiting(call) : undefined
}

async function brief(call: HookCall, { shown, names }: Noted): Promise<string | undefined> {
  const { project, source } = call
  if (source === 'resume' && shown) return undefined
  const row = await continueFrom(project, await call.rows(), names)
  const stored = row && (await project.store.read(row.id))
  if (stored?.kind !== 'record') return undefined
  const { record, etag } = stored
  const assessment = await assessRecord(project, record)
  return briefOf({ record, etag, now: project.now(), ...assessment, maxTokens: DEFAULT_BRIEF_TOKENS }).text
}

/** Names the newest record that is ready. The title is text of a record: one short line, quoted. */
async function waiting(call: HookCall): Promise<string | undefined> {
  const ready = leavesOf(await call.rows()).filter(({ status }) => status === 'ready')
  const [newest] = [...ready].sort(newestFirst)
  if (!newest) return undefined
  const title = JSON.stringify(wholeChars(visibleLine(newest.title), TITLE_CHARS))
  const count = ready.length === 1 ? '1 handoff ready' : `${ready.length} handoffs ready, the newest`
  return `${count}: ${title}, ${ageOf(newest.updated_at, call.project.now())}; resume with handoff_resume`
}
