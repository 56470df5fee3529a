import { counted, visibleLine } from '../../../server/plugin.ts'
import { wholeChars } from '../domain/fence.ts'
import { isNotes } from '../domain/noted-work.ts'
import { extension, failedAttempts, type Handoff } from '../domain/record.ts'
import type { RecordTable } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import type { Problem, StoredRecord } from '../store/read-record.ts'
import { draftsBeside, draftsOfSession, draftsOn, type OpenDraft, parentOfNotes } from './notes-on.ts'

/** So many drafts are named beside a record. */
const MAX_NAMED = 3

/**
 * Lines that name drafts of ended sessions which go on from a record, or from one that it superseded, and are not in it, each
 * with the call that goes on with it. Ids and numbers only: titles are text of a record.
 */
export async function draftNotices(
  project: Project,
  table: RecordTable,
  { id, record }: Pick<StoredRecord, 'id' | 'record'>,
  names: readonly string[],
): Promise<readonly string[]> {
  const parent = isNotes(record) ? await parentOfNotes(project, record) : undefined
  const base = parent?.record ?? record
  const isLeft = ({ stored, isOver }: OpenDraft) => isOver && stored.id !== id
  const [on, beside] = await Promise.all([
    draftsOn(project, table, base.id, names),
    draftsBeside(project, table, base.id, names),
  ])
  const lines = on
    .filter(isLeft)
    .map(
      ({ stored }) =>
        `A draft of an ended session continues this and is not in it: ${stored.id}, ${addedTo(base, stored.record)}; ${callFor('handoff_resume', stored)} goes on with it.`,
    )
  for (const { stored, isNotes: hasNotes } of beside.filter(isLeft).slice(0, MAX_NAMED - lines.length)) {
    const about = hasNotes ? await parentOfNotes(project, stored.record) : undefined
    const way = hasNotes
      ? `the next record takes them up, ${callFor('handoff_get', stored)} shows them`
      : `${callFor('handoff_resume', stored)} goes on with it`
    lines.push(
      `A draft of an ended session continues what this superseded and is not in it: ${stored.id}, ${addedTo(about?.record, stored.record)}; ${way}.`,
    )
  }
  return lines.slice(0, MAX_NAMED)
}

/**
 * Lines about drafts that a released record does not have: others of the session that releases it, wherever they belong, and
 * those that `draftNotices` names.
 */
export async function releaseNotices(
  project: Project,
  table: RecordTable,
  released: Pick<StoredRecord, 'id' | 'record'>,
  names: readonly string[],
): Promise<readonly string[]> {
  const own: string[] = []
  for (const { stored, isNotes: hasNotes } of await draftsOfSession(project, table, names)) {
    if (stored.id === released.id) continue
    const about = hasNotes ? await parentOfNotes(project, stored.record) : undefined
    own.push(
      `Another draft of this session is not in this release: ${stored.id}, ${addedTo(about?.record, stored.record)}; ${callFor('handoff_resume', stored)} goes on with it.`,
    )
  }
  return [...own, ...(await draftNotices(project, table, released, names))].slice(0, MAX_NAMED)
}

function callFor(tool: string, { id }: Pick<StoredRecord, 'id'>): string {
  return `${tool} ${JSON.stringify({ id })}`
}

/** What a draft has more than the record that it continues. */
export function addedTo(base: Handoff | undefined, draft: Handoff): string {
  const count = base ? entriesOf(draft) - entriesOf(base) : entriesOf(draft)
  if (!extension(draft).notes) return 'a record of its own'
  return counted(Math.max(0, count), 'note', 'notes')
}

function entriesOf(record: Handoff): number {
  const { decisions, open_items, summary } = record
  return decisions.length + open_items.length + failedAttempts(record).length + summary.completed.length
}

const MAX_PATH_CHARS = 120

/** One line about damaged files of the store, with the command that repairs them. What is in them is not repeated. */
export function damageNotice(problems: readonly Problem[]): string | undefined {
  const [first] = problems
  if (!first) return undefined
  const path = wholeChars(visibleLine(first.path), MAX_PATH_CHARS)
  const place = first.line === undefined ? '' : `, line ${first.line}`
  const others = problems.length === 1 ? '' : ` and ${problems.length - 1} more`
  const count = `${counted(problems.length, 'handoff record', 'handoff records')} cannot be read`
  return `${count}: ${path} (${first.reason}${place})${others}. satchel handoff doctor --fix repairs those with conflict markers of git, and satchel handoff doctor says what else is wrong.`
}
