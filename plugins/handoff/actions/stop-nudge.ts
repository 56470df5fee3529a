import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { counted } from '../../../server/plugin.ts'
import { newestOf, ownLeaves, type RecordTable } from '../domain/record-table.ts'
import { timeOf } from '../domain/record-time.ts'
import { workSince } from '../git/commits.ts'
import type { HookCall, Noted } from './hook-session.ts'

/** A session is reminded at most this often, and never sooner after it wrote its record. */
const EVERY_MS = 20 * 60_000
/** Changed files that are worth a reminder without a commit. */
const MANY_FILES = 3
/** Files whose time is looked at. */
const MAX_FILES = 200

/**
 * What the person at the session is told when more changed than its record says: commits and files since the record was
 * last written. Undefined for a record that is up to date, and for a while after each reminder.
 */
export async function nudge(call: HookCall, noted: Noted): Promise<string | undefined> {
  const { project } = call
  const nowMs = project.now().getTime()
  if (noted.beganAt === undefined || nowMs - (timeOf(noted.nudgedAt ?? '') ?? 0) < EVERY_MS) return undefined
  const own = await call.ask((table) => ownRecord(table, noted.names))
  const sinceMs = own?.updatedMs ?? timeOf(noted.began ?? '')
  if (sinceMs === undefined || nowMs - sinceMs < EVERY_MS) return undefined
  const head = await headAt(call, noted.beganAt, sinceMs)
  const { commits, files } = await workSince(project.git, head, project.storePrefix)
  const touched = await writtenSince(
    project.root,
    files.map(({ path }) => path),
    sinceMs,
  )
  if (commits.length === 0 && touched < MANY_FILES) return undefined
  const made = [
    ...(commits.length > 0 ? [counted(commits.length, 'commit', 'commits')] : []),
    ...(touched > 0 ? [counted(touched, 'changed file', 'changed files')] : []),
  ]
  const where = own ? 'since the handoff of this session was last written' : 'and this session has no handoff'
  return `satchel: ${made.join(' and ')} ${where}. Record them with handoff_create, or line by line with the command satchel handoff note.`
}

function ownRecord(table: RecordTable, names: readonly string[]): { readonly updatedMs: number } | undefined {
  const described = ownLeaves(table, names).filter((record) => !table.isSkeleton(record))
  const [newest] = newestOf(table, described)
  return newest === undefined ? undefined : { updatedMs: table.updatedMs(newest) }
}

/** HEAD as it was when the record was written, but not before the session began. */
async function headAt({ project }: HookCall, beganAt: string, sinceMs: number): Promise<string> {
  const before = `--before=${new Date(sinceMs).toISOString()}`
  const found = await project.git('rev-list', '-1', before, '--end-of-options', `${beganAt}..HEAD`)
  const head = found.kind === 'done' ? found.stdout.trim() : ''
  return head === '' ? beganAt : head
}

async function writtenSince(root: string, files: readonly string[], sinceMs: number): Promise<number> {
  let count = 0
  for (const path of files.slice(0, MAX_FILES)) {
    const facts = await stat(join(root, path)).catch(() => undefined) // deleted, or out of reach
    if (facts && facts.mtimeMs > sinceMs) count++
  }
  return count
}
