import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../server/plugin.ts'
import { childPointer } from './json-pointer.ts'
import { byRisingId } from './lineage.ts'
import { type MergeConflict, mergeFindings } from './merge-conflicts.ts'
import type { MergedContent, MergeOverrides } from './merge-content.ts'
import { type MergedItems, mergeItems, mergeNamed, mergeTexts, saysTheSame } from './merge-lists.ts'
import {
  CONTENT_MEMBERS,
  type Decision,
  discoveries,
  type Evidence,
  type FailedAttempt,
  failedAttempts,
  type Handoff,
  inProgress,
  isItemId,
  type OpenItem,
} from './record.ts'

export interface Merge {
  readonly content: MergedContent
  readonly conflicts: readonly MergeConflict[]
  /** Parent -> id there -> id in the result. */
  readonly renumbered: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Parent -> free members in which it differs from the first. */
  readonly unmapped: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly warnings: readonly string[]
}

/**
 * Merges records with their common base. The parents are merged in id order, so that the result does not depend on
 * the order of the arguments. Captures and writes nothing.
 */
export function mergeRecords(
  base: Handoff | undefined,
  given: readonly Handoff[],
  overrides: MergeOverrides = {},
): Merge {
  const parents = [...given].sort(byRisingId)
  const side = <T>(pick: (record: Handoff) => readonly T[]) =>
    parents.map((record) => ({ parent: record.id, items: pick(record) }))
  const evidence = mergeItems<Evidence>(
    base?.evidence ?? [],
    side((record) => record.evidence),
    {
      letter: 'E',
      closing: false,
      isSame: saysTheSame,
    },
  )
  const cite = <T extends { evidence_ids: string[] }>(record: Handoff, items: readonly T[]): T[] => {
    const ids = evidence.renumbered.get(record.id)
    return items.map((item) => ({ ...item, evidence_ids: item.evidence_ids.map((id) => ids?.get(id) ?? id) }))
  }
  const decisions = mergeItems<Decision>(
    base?.decisions ?? [],
    side((record) => cite(record, record.decisions)),
    {
      letter: 'D',
      closing: false,
      isSame: saysTheSame,
    },
  )
  const attempts = mergeItems<FailedAttempt>(
    base ? failedAttempts(base) : [],
    side((record) => cite(record, failedAttempts(record))),
    { letter: 'F', closing: false, isSame: saysTheSame },
  )
  const open = mergeItems<OpenItem>(
    base?.open_items ?? [],
    side((record) => record.open_items),
    {
      letter: 'O',
      closing: true,
      isSame: (a, b) => saysTheSame(unblocked(a), unblocked(b)),
    },
  )
  const extras = mergeExtras(parents)
  const content: MergedContent = {
    work: mergedWork(base, parents, overrides),
    summary: mergedSummary(base, parents, overrides),
    decisions: [...decisions.items],
    artifacts: mergeNamed(
      base?.artifacts ?? [],
      parents.map((record) => record.artifacts),
    ),
    evidence: withCitedEvidence(evidence, base, [...decisions.items, ...attempts.items]),
    failed_attempts: [...attempts.items],
    open_items: withBlockers(open),
    risks: mergeNamed(
      base?.risks ?? [],
      parents.map((record) => record.risks),
    ),
    redactions: [],
    extras: extras.members,
  }
  const renumbered = renumberings(parents, [evidence, decisions, attempts, open])
  return {
    content,
    renumbered,
    unmapped: extras.unmapped,
    ...mergeFindings({ base, parents, overrides, content, evidence, decisions, attempts, open }),
  }
}

function unblocked(item: OpenItem): OpenItem {
  return { ...item, blocked_by: [] }
}

/** Keeps evidence that one side removed but another still cites, so that no reference dangles. */
function withCitedEvidence(
  evidence: MergedItems<Evidence>,
  base: Handoff | undefined,
  citing: readonly { readonly evidence_ids: readonly string[] }[],
): Evidence[] {
  const present = new Set(evidence.items.map(({ id }) => id))
  const cited = new Set(citing.flatMap(({ evidence_ids }) => evidence_ids))
  const missing = (base?.evidence ?? []).filter(({ id }) => cited.has(id) && !present.has(id))
  return [...evidence.items, ...missing]
}

/** The blockers of each item, by ids of the result. Closed items no longer block. */
function withBlockers(open: MergedItems<OpenItem>): OpenItem[] {
  const present = new Set(open.items.map(({ id }) => id))
  return open.items.map((item) => {
    const waits = (open.origins.get(item.id) ?? []).flatMap(({ parent, item: { blocked_by } }) =>
      blocked_by.map((id) => open.renumbered.get(parent)?.get(id) ?? id),
    )
    const blocked = [...new Set(waits)].filter((id) => id !== item.id && (present.has(id) || !isItemId(id)))
    return { ...item, blocked_by: blocked }
  })
}

function renumberings(
  parents: readonly Handoff[],
  merged: readonly { readonly renumbered: ReadonlyMap<string, ReadonlyMap<string, string>> }[],
): Record<string, Record<string, string>> {
  const entries = parents.map(({ id }): [string, Record<string, string>] => [
    id,
    Object.fromEntries(merged.flatMap(({ renumbered }) => [...(renumbered.get(id) ?? [])])),
  ])
  return Object.fromEntries(entries.filter(([, map]) => Object.keys(map).length > 0))
}

function mergedWork(
  base: Handoff | undefined,
  parents: readonly Handoff[],
  overrides: MergeOverrides,
): Handoff['work'] {
  const texts = (pick: (record: Handoff) => readonly string[]) =>
    mergeTexts(base ? pick(base) : [], parents.map(pick))
  return {
    title: overrides.title ?? mergedText(base, parents, (record) => record.work.title),
    objective: overrides.objective ?? mergedText(base, parents, (record) => record.work.objective),
    scope: texts((record) => record.work.scope),
    constraints: texts((record) => record.work.constraints),
    definition_of_done: texts((record) => record.work.definition_of_done),
  }
}

function mergedSummary(
  base: Handoff | undefined,
  parents: readonly Handoff[],
  overrides: MergeOverrides,
): Handoff['summary'] {
  const texts = (pick: (record: Handoff) => readonly string[]) =>
    mergeTexts(base ? pick(base) : [], parents.map(pick))
  const why = parents.map((record) => record.summary.why_it_matters)
  return {
    completed: texts((record) => record.summary.completed),
    in_progress: texts(inProgress),
    discoveries: texts(discoveries),
    current_state:
      overrides.current_state ?? mergedText(base, parents, (record) => record.summary.current_state),
    why_it_matters:
      why.find((text) => text !== null && text !== base?.summary.why_it_matters) ?? why[0] ?? null,
  }
}

/** The text of the side that changed it, else of the first side. */
function mergedText(
  base: Handoff | undefined,
  parents: readonly Handoff[],
  pick: (record: Handoff) => string,
): string {
  const original = base && pick(base)
  const texts = parents.map(pick)
  return texts.find((text) => text !== original) ?? texts[0] ?? ''
}

const SCHEMA_MEMBERS: ReadonlySet<string> = new Set([
  ...[
    '$schema',
    'schema_version',
    'id',
    'kind',
    'status',
    'flags',
    'created_at',
    'updated_at',
    'project',
    'origin',
  ],
  ...CONTENT_MEMBERS,
  ...['validation', 'lineage', 'automation', 'metagit', 'redactions', 'x_satchel'],
])

/** Free members from the first parent that has them; differing ones of other parents are returned separately. */
function mergeExtras(parents: readonly Handoff[]) {
  const members = new Map<string, unknown>()
  const unmapped: Record<string, Record<string, unknown>> = {}
  for (const parent of parents) {
    for (const [name, value] of Object.entries(parent)) {
      if (SCHEMA_MEMBERS.has(name)) continue
      if (!members.has(name)) members.set(name, value)
      else if (!isDeepStrictEqual(members.get(name), value)) {
        unmapped[parent.id] = { ...unmapped[parent.id], ...Object.fromEntries([[name, value]]) }
      }
    }
  }
  return { members: Object.fromEntries(members), unmapped }
}

/** The parents' redactions that are present in the merged record. */
export function mergedLedger(
  record: Readonly<Record<string, unknown>>,
  parents: readonly Handoff[],
): Handoff['redactions'] {
  const entries = new Map<string, Handoff['redactions'][number]>()
  const reasons = new Map(
    parents
      .flatMap(({ redactions }) => redactions)
      .map((entry) => [`${entry.reason}\u0000${entry.replacement}`, entry]),
  )
  if (reasons.size === 0) return []
  const replacements = new Map([...reasons.values()].map((entry) => [entry.replacement, entry]))
  walkTexts(record, '', (pointer, text) => {
    for (const [replacement, entry] of replacements) {
      if (replacement !== '' && text.includes(replacement)) entries.set(pointer, { ...entry, field: pointer })
    }
  })
  return [...entries.values()]
}

function walkTexts(value: unknown, pointer: string, visit: (pointer: string, text: string) => void): void {
  if (typeof value === 'string') visit(pointer, value)
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) walkTexts(element, childPointer(pointer, index), visit)
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      walkTexts(member, childPointer(pointer, name), visit)
    }
  }
}
