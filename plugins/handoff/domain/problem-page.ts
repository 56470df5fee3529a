import { type CursorKey, compareKeys, cursorOf, keyIn, questionName } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { sha256 } from './record-id.ts'

/** A problem of a store. `next` names a remedy, never a destructive one. */
export interface StoreProblem {
  readonly kind: (typeof PROBLEM_KINDS)[number]
  readonly path: string
  readonly detail: string
  readonly next: string
}

/** In the order of the list, most serious first. */
export const PROBLEM_KINDS = [
  'unusable_store',
  'damaged_record',
  'conflicted_record',
  'altered_record',
  'orphan_temp',
  'unusable_local',
  'damaged_config',
  'no_merge_driver',
  'untrusted_repository',
  'missing_parent',
  'lineage_cycle',
  'not_superseded',
  'expired_claim',
  'future_time',
] as const

export interface ProblemPage {
  readonly problems: readonly StoreProblem[]
  /** Problems of all pages. */
  readonly total: number
  readonly next_cursor: string | null
}

const QUESTION = questionName({ tool: 'doctor' })

/**
 * A page of the problems in a stable order: unchanged problems are neither repeated nor skipped. Errors: `invalid`/`bad_cursor`.
 */
export function problemPage(
  problems: readonly StoreProblem[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): ProblemPage {
  const after = cursor === undefined ? undefined : keyOfCursor(cursor)
  const keyed = problems
    .map((problem) => ({ problem, key: keyOf(problem) }))
    .sort((a, b) => compareKeys(a.key, b.key))
  const left = after ? keyed.filter(({ key }) => compareKeys(key, after) > 0) : keyed
  const page = left.slice(0, limit)
  const last = page.at(-1)
  return {
    problems: page.map(({ problem }) => problem),
    total: problems.length,
    next_cursor: page.length < left.length && last ? cursorOf(QUESTION, last.key) : null,
  }
}

/** Includes a digest instead of path and detail, which may be longer than a cursor. */
function keyOf({ kind, path, detail }: StoreProblem): CursorKey {
  return [PROBLEM_KINDS.indexOf(kind), path.slice(0, 200), sha256(`${path}\0${detail}`).slice(-16)]
}

function keyOfCursor(cursor: string): CursorKey {
  const key = keyIn(cursor, QUESTION)
  if (key) return key
  throw refusals.bad_cursor({ next: { tool: 'handoff_doctor', args: {} } })
}
