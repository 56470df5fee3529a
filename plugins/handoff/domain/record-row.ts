import { actionOf, firstNextAction } from './next-action.ts'
import {
  type Claim,
  discoveries,
  extension,
  type Flag,
  failedAttempts,
  type Handoff,
  inProgress,
  type Relation,
  type Status,
} from './record.ts'
import { timeOf } from './record-time.ts'

/** The fields of a record that lists, lineage and search use. */
export interface RecordRow {
  /** In the record's own spelling. */
  readonly id: string
  /** Relative to the project root. */
  readonly path: string
  readonly title: string
  readonly status: Status
  readonly flags: readonly Flag[]
  readonly created_at: string
  readonly updated_at: string
  /** Milliseconds; the file's time if `updated_at` is not a time. */
  readonly updatedMs: number
  readonly relation: Relation
  readonly parents: readonly string[]
  readonly branch_label: string | null
  readonly project_id: string
  /** Git branch at capture. */
  readonly branch: string | null
  readonly harness: string
  readonly actor: string | null
  readonly open_high: number
  readonly next_action: string | null
  readonly skeleton: boolean
  readonly session: string | null
  readonly claim: Claim | null
  readonly idempotency_key: string | null
}

/** The searchable fields, by their names in queries. */
export const SEARCH_FIELDS = [
  'title',
  'objective',
  'state',
  'decision',
  'evidence',
  'failed',
  'open',
  'risk',
  'path',
  'id',
  'status',
  'harness',
  'actor',
] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchText = Readonly<Record<SearchField, string>>

/** The row of a record. */
export function rowOf(record: Handoff, path: string, mtimeMs: number): RecordRow {
  const own = extension(record)
  const next = firstNextAction(record)
  return {
    id: record.id,
    path,
    title: record.work.title,
    status: record.status,
    flags: [...new Set(record.flags)],
    created_at: record.created_at,
    updated_at: record.updated_at,
    updatedMs: timeOf(record.updated_at) ?? mtimeMs,
    relation: record.lineage.relation,
    parents: record.lineage.parents,
    branch_label: record.lineage.branch_label,
    project_id: record.project.id,
    branch: branchOf(record),
    harness: record.origin.harness,
    actor: record.origin.actor?.name ?? null,
    open_high: record.open_items.filter((item) => item.priority === 'high').length,
    next_action: next ? actionOf(next) : null,
    skeleton: own.skeleton,
    session: own.session ?? record.origin.session_id,
    claim: own.claim,
    idempotency_key: own.idempotency_key ?? null,
  }
}

/** The branch is a free member of the repository: the specification's four fields do not name it. */
function branchOf({ project: { repository } }: Handoff): string | null {
  const branch = repository !== null && 'branch' in repository ? repository.branch : null
  return typeof branch === 'string' ? branch : null
}

/** The searchable text of a record. */
export function searchText(record: Handoff): SearchText {
  const { work, summary } = record
  return {
    title: work.title,
    objective: lines(work.objective, ...work.constraints, ...work.definition_of_done),
    state: lines(
      summary.current_state,
      summary.why_it_matters,
      ...summary.completed,
      ...inProgress(record),
      ...discoveries(record),
    ),
    decision: lines(...record.decisions.flatMap((item) => [item.decision, item.rationale])),
    evidence: lines(...record.evidence.flatMap((item) => [item.claim, item.ref, item.result])),
    failed: lines(...failedAttempts(record).flatMap((item) => [item.approach, item.reason])),
    open: lines(...record.open_items.flatMap((item) => [item.description, item.suggested_action])),
    risk: lines(...record.risks.flatMap((item) => [item.description, item.mitigation])),
    path: lines(...record.artifacts.map((item) => item.path), ...work.scope),
    id: record.id,
    status: record.status,
    harness: record.origin.harness,
    actor: record.origin.actor?.name ?? '',
  }
}

function lines(...texts: readonly (string | null)[]): string {
  return texts.filter((text) => text).join('\n')
}
