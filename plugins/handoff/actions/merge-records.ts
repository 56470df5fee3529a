import type { CallContext } from '../../../server/plugin.ts'
import { ancestorsOf, byId, byRisingId } from '../domain/lineage.ts'
import { type Merge, mergedLedger, mergeRecords } from '../domain/merge.ts'
import type { MergeConflict } from '../domain/merge-conflicts.ts'
import type { MergeOverrides } from '../domain/merge-content.ts'
import { type Resolution, resolveConflicts } from '../domain/merge-resolution.ts'
import type { Handoff } from '../domain/record.ts'
import { familyOf } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { sessionOf } from '../session.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { changedMeanwhile } from '../store/store.ts'
import { originOf } from './create-record.ts'
import { findRecord } from './find-record.ts'
import { writeComposed } from './write-record.ts'

export interface MergeRequest {
  readonly ids: readonly string[]
  readonly strategy: 'report' | 'draft'
  readonly resolutions: readonly Resolution[]
  readonly overrides: MergeOverrides
}

export interface MergeAnswer {
  readonly root: string
  readonly conflicts: readonly MergeConflict[]
  readonly unresolved: number
  readonly child_id?: string
  readonly etag?: string
  readonly renumbered: Merge['renumbered']
  readonly warnings: readonly string[]
}

/**
 * Joins records. `report` only says what would be; `draft` writes one child, flagged while conflicts are open.
 * Errors: `invalid`/`too_few_parents`, those of `findRecord` and of writing a record.
 */
export async function mergeStored(
  ctx: CallContext,
  project: Project,
  request: MergeRequest,
): Promise<MergeAnswer> {
  const found = await Promise.all(request.ids.map((id) => findRecord(project, id)))
  const parents = [...new Map(found.map((stored) => [stored.id.toLowerCase(), stored])).values()].sort(
    byRisingId,
  )
  if (parents.length < 2) {
    throw refusals.too_few_parents()
  }
  if (request.strategy === 'report') return (await mergeOf(project, parents, request)).answer
  return lockedAll(project, parents, () => writeMerge(ctx, project, parents, request))
}

/** The merge of the parents with the resolutions of the request, and the answer that reports it. */
async function mergeOf(project: Project, parents: readonly StoredRecord[], request: MergeRequest) {
  const records = parents.map(({ record }) => record)
  const { bases, base } = await commonGround(project, parents)
  const merge = mergeRecords(base, records, request.overrides)
  const { content, open } = resolveConflicts(merge, request.resolutions, project.now().toISOString())
  const answer: MergeAnswer = {
    root: project.root,
    conflicts: merge.conflicts,
    unresolved: open.length,
    renumbered: merge.renumbered,
    warnings: [
      ...merge.warnings,
      ...(bases.length === 0 ? ['The records have no common ancestor in this store.'] : []),
    ],
  }
  return { records, bases, merge: { ...merge, content }, open, answer }
}

/** Holds the locks of all parents. Takes them in id order, so that two merges cannot deadlock. */
async function lockedAll<T>(
  project: Project,
  [first, ...others]: readonly StoredRecord[],
  action: () => Promise<T>,
): Promise<T> {
  if (!first) return action()
  return project.store.locked(first.id.toLowerCase(), async () => {
    const now = await findRecord(project, first.id)
    if (now.etag !== first.etag) throw changedMeanwhile(first.id, now.etag)
    return lockedAll(project, others, action)
  })
}

async function writeMerge(
  ctx: CallContext,
  project: Project,
  parents: readonly StoredRecord[],
  request: MergeRequest,
): Promise<MergeAnswer> {
  const { records, bases, merge, open, answer } = await mergeOf(project, parents, request)
  const session = await sessionOf(ctx, project)
  const written = await writeComposed(
    project,
    {
      lineage: {
        relation: 'merge',
        parents: parents.map(({ id }) => id),
        branch_label: null,
        merge_basis: bases.map(({ id }) => id),
      },
      origin: originOf(ctx, project, session),
      automation: { score: null, reasons: [] },
      inherited: undefined,
      session,
      idempotencyKey: undefined,
      flags: open.length > 0 ? ['conflicted'] : [],
    },
    (record) => mergedRecord(record, merge, open, records),
  )
  const warnings = [...answer.warnings, ...written.warnings]
  return { ...answer, child_id: written.id, etag: written.etag, warnings }
}

/** The new record with the merged content in its place, in the order of the schema. */
function mergedRecord(
  record: Readonly<Record<string, unknown>>,
  merge: Merge,
  open: readonly MergeConflict[],
  parents: readonly Handoff[],
): Record<string, unknown> {
  const { extras, ...members } = merge.content
  const own = {
    ...(typeof record['x_satchel'] === 'object' && record['x_satchel']),
    ...(open.length > 0 && { conflicts: open }),
    ...(Object.keys(merge.renumbered).length > 0 && { renumbered: merge.renumbered }),
    ...(Object.keys(merge.unmapped).length > 0 && { unmapped: merge.unmapped }),
  }
  const { x_satchel: _own, ...schema } = record
  const merged = { ...schema, ...members, ...extras, ...(Object.keys(own).length > 0 && { x_satchel: own }) }
  return { ...merged, redactions: mergedLedger({ ...merged, redactions: [] }, parents) }
}

/** The nearest common ancestors. Several of them are merged themselves, first sides winning. */
async function commonGround(project: Project, parents: readonly StoredRecord[]) {
  const rows = await project.index.ask((table) =>
    familyOf(
      table,
      parents.map(({ id }) => id),
    ),
  )
  const known = byId(rows)
  const lines = parents.map(
    ({ id }) => new Set([id.toLowerCase(), ...ancestorsOf(id, known).map((row) => row.id.toLowerCase())]),
  )
  const [first = new Set<string>(), ...others] = lines
  const common = [...first].filter((id) => others.every((line) => line.has(id)))
  const nearest = common.filter(
    (id) =>
      !common.some(
        (other) => other !== id && ancestorsOf(other, known).some((row) => row.id.toLowerCase() === id),
      ),
  )
  const bases: StoredRecord[] = []
  for (const id of nearest.sort()) {
    const stored = await project.store.read(id)
    if (stored?.kind === 'record') bases.push(stored)
  }
  return { bases, base: virtualBase(bases.map(({ record }) => record)) }
}

function virtualBase(bases: readonly Handoff[]): Handoff | undefined {
  const [first, ...others] = bases
  if (!first || others.length === 0) return first
  const { extras: _extras, ...content } = mergeRecords(undefined, bases).content
  return { ...first, ...content }
}
