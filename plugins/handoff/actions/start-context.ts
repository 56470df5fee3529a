import { visibleLine } from '../../../server/plugin.ts'
import { ageOf, briefOf, DEFAULT_BRIEF_TOKENS } from '../domain/brief.ts'
import { isAltered } from '../domain/content-digest.ts'
import { wholeChars } from '../domain/fence.ts'
import { isFuture, newestOf } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import { assessRecord } from './check-freshness.ts'
import { continueFrom } from './continue-from.ts'
import type { HookCall, Noted } from './hook-session.ts'

const TITLE_CHARS = 80

/** What a session is told at its start: a brief where that is configured, at `startup` one line if a record is ready. */
export async function startContext(call: HookCall, noted: Noted): Promise<string | undefined> {
  const { project, source } = call
  const { inject_on } = project.config
  if (!isToldAt(project, source)) return undefined
  if (inject_on.some((wanted) => wanted === source)) return brief(call, noted)
  return waiting(call)
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

async function brief(call: HookCall, { shown, names }: Noted): Promise<string | undefined> {
  const { project, source } = call
  if (source === 'resume' && shown) return undefined
  const row = await call.ask((table) => continueFrom(project, table, names))
  const stored = row && (await project.store.read(row.id))
  if (stored?.kind !== 'record') return undefined
  const { record, etag } = stored
  const assessment = await assessRecord(project, record)
  const parts = { record, etag, isAltered: isAltered(stored), now: project.now(), ...assessment }
  return briefOf({ ...parts, maxTokens: DEFAULT_BRIEF_TOKENS }).text
}

/** Names the newest record that is ready. The title is text of a record: one short line, quoted. */
async function waiting(call: HookCall): Promise<string | undefined> {
  const nowMs = call.project.now().getTime()
  const { newest, ready } = await call.ask(async (table) => {
    const found = [...table.records].filter(
      (record) =>
        table.status(record) === 'ready' && table.isLeaf(record) && !isFuture(table.updatedMs(record), nowMs),
    )
    const [row] = await table.load(newestOf(table, found).slice(0, 1))
    return { newest: row, ready: found.length }
  })
  if (!newest) return undefined
  const title = JSON.stringify(wholeChars(visibleLine(newest.title), TITLE_CHARS))
  const stored = await call.project.store.read(newest.id)
  const altered =
    stored?.kind === 'record' && isAltered(stored) ? ', its content changed since its release' : ''
  const count = ready === 1 ? '1 handoff ready' : `${ready} handoffs ready, the newest`
  return `${count}: ${title}, ${ageOf(newest.updated_at, call.project.now())}${altered}; resume with handoff_resume`
}
