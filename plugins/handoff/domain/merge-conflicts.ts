import { addTo, isJsonObject } from '../../../server/plugin.ts'
import type { MergedContent, MergeOverrides } from './merge-content.ts'
import type { MergedItems } from './merge-lists.ts'
import { checkPlan } from './plan-check.ts'
import type { Decision, Evidence, FailedAttempt, Handoff, ItemCollection, OpenItem } from './record.ts'
import { textOf } from './record-diff.ts'
import { folded } from './words.ts'

export const CONFLICT_KINDS = [
  'scalar',
  'edited_twice',
  'closed_and_edited',
  'same_subject',
  'against_attempt',
  'member',
] as const

/** A disagreement between parents. The merged record holds the first position until the conflict is resolved. */
export interface MergeConflict {
  readonly id: string
  readonly kind: (typeof CONFLICT_KINDS)[number]
  readonly subject: string
  readonly positions: readonly Position[]
  /** `title`, `objective`, `current_state`, `why_it_matters` for a scalar; a collection for an item; a pointer for a member. */
  readonly field: string
}

export interface Position {
  readonly parent: string
  readonly text: string
  /** Id of the item in the merged record. */
  readonly item_id?: string
  /** The item as this parent has it, null where it closed it. */
  readonly item?: Readonly<Record<string, unknown>> | null
  /** The value of a member as this side has it; absent where it has none. */
  readonly value?: unknown
}

interface Merged {
  readonly base: Handoff | undefined
  readonly parents: readonly Handoff[]
  readonly overrides: MergeOverrides
  readonly content: MergedContent
  readonly evidence: MergedItems<Evidence>
  readonly decisions: MergedItems<Decision>
  readonly attempts: MergedItems<FailedAttempt>
  readonly open: MergedItems<OpenItem>
}

type Unnumbered = Omit<MergeConflict, 'id'>

/** The conflicts of a merge, and its warnings. */
export function mergeFindings(merged: Merged): {
  readonly conflicts: readonly MergeConflict[]
  readonly warnings: readonly string[]
} {
  const found: Unnumbered[] = [
    ...scalarConflicts(merged),
    ...itemConflicts(merged.decisions, 'decisions'),
    ...itemConflicts(merged.evidence, 'evidence'),
    ...itemConflicts(merged.attempts, 'failed_attempts'),
    ...itemConflicts(merged.open, 'open_items'),
    ...subjectConflicts(merged),
    ...attemptConflicts(merged),
  ]
  return {
    conflicts: found.map((conflict, index) => ({
      id: `C-${String(index + 1).padStart(3, '0')}`,
      ...conflict,
    })),
    warnings: constraintWarnings(merged.content.work.constraints),
  }
}

const SCALARS: readonly (readonly [keyof MergeOverrides, (record: Handoff) => string])[] = [
  ['title', (record) => record.work.title],
  ['objective', (record) => record.work.objective],
  ['current_state', (record) => record.summary.current_state],
]

function scalarConflicts({ base, parents, overrides }: Merged): Unnumbered[] {
  return SCALARS.flatMap(([field, pick]) => {
    if (overrides[field] !== undefined) return []
    const original = base && pick(base)
    const changed = parents.filter((record) => pick(record) !== original)
    if (new Set(changed.map(pick)).size < 2) return []
    const positions = changed.map((record) => ({ parent: record.id, text: pick(record) }))
    return [{ kind: 'scalar', field, subject: field, positions: distinct(positions) } as const]
  })
}

function itemConflicts<T extends { readonly id: string }>(
  merged: MergedItems<T>,
  collection: ItemCollection,
): Unnumbered[] {
  return merged.conflicts.map(({ kind, item_id, positions }) => ({
    kind,
    field: collection,
    subject: item_id,
    positions: positions.map(({ parent, item }) => ({
      parent,
      item_id,
      text: item === null ? '(closed)' : (textOf(item) ?? item_id),
      item: item === null ? null : { ...item },
    })),
  }))
}

/** New decisions of different parents about one subject that decide differently. */
function subjectConflicts({ decisions }: Merged): Unnumbered[] {
  const bySubject = new Map<string, Position[]>()
  for (const item of decisions.items) {
    const parent = onlyOrigin(decisions, item.id)
    const subject = subjectOf(item)
    if (subject === undefined || parent === undefined) continue
    const position = { parent, item_id: item.id, text: item.decision, item: { ...item } }
    addTo(bySubject, subject, position)
  }
  return [...bySubject].flatMap(([subject, positions]) => {
    const isDisputed =
      new Set(positions.map(({ parent }) => parent)).size > 1 &&
      new Set(positions.map(({ text }) => folded(text))).size > 1
    return isDisputed ? [{ kind: 'same_subject', field: 'decisions', subject, positions } as const] : []
  })
}

/** The subject of a decision: its member `subject` or `topic`, the text before its colon, or after its last `for`. */
function subjectOf(decision: Decision): string | undefined {
  const free: unknown =
    'subject' in decision ? decision.subject : 'topic' in decision ? decision.topic : undefined
  const phrase =
    typeof free === 'string'
      ? free
      : (/^([^:\n]{2,60}):\s/.exec(decision.decision)?.[1] ??
        /\bfor (?:the )?([^,.;\n]{3,60})$/i.exec(decision.decision)?.[1])
  const subject =
    phrase === undefined
      ? ''
      : folded(phrase)
          .replace(/[^\p{L}\p{N}]+/gu, ' ')
          .trim()
  return subject === '' ? undefined : subject
}

/** A new decision of one parent that repeats what another parent found not to work. */
function attemptConflicts({ decisions, attempts }: Merged): Unnumbered[] {
  return decisions.items.flatMap((decision) => {
    const decider = onlyOrigin(decisions, decision.id)
    if (decider === undefined) return []
    const against = attempts.items.filter((attempt) => {
      const finder = onlyOrigin(attempts, attempt.id)
      return attempt.avoid_repeating && finder !== undefined && finder !== decider
    })
    const past = against.map((attempt) => ({
      ...attempt,
      record: onlyOrigin(attempts, attempt.id) ?? '',
      evidence: [],
    }))
    const { matches, verdict } = checkPlan(decision.decision, past)
    const [match] = matches
    if (verdict !== 'repeat' || !match) return []
    const positions = [
      { parent: decider, item_id: decision.id, text: decision.decision },
      { parent: match.record, item_id: match.id, text: `failed: ${match.approach}` },
    ]
    return [{ kind: 'against_attempt', field: 'decisions', subject: decision.id, positions } as const]
  })
}

/** The one parent that added an item; undefined for what the base had or several have. */
function onlyOrigin<T extends { readonly id: string }>(
  merged: MergedItems<T>,
  id: string,
): string | undefined {
  const origins = merged.fresh.has(id) ? (merged.origins.get(id) ?? []) : []
  return origins.length === 1 ? origins[0]?.parent : undefined
}

function distinct(positions: readonly Position[]): Position[] {
  const seen = new Set<string>()
  return positions.filter(({ text }) => !seen.has(text) && seen.add(text))
}

const NEGATION = /\b(?:do not|don't|never|no|not|must not|without)\b/gi

/** Constraints that differ only by a negation give a warning. */
function constraintWarnings(constraints: readonly string[]): string[] {
  const bare = (text: string) =>
    folded(text)
      .replace(NEGATION, ' ')
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  const isNegated = (text: string) => text.search(NEGATION) >= 0
  return constraints.flatMap((one, index) =>
    constraints
      .slice(index + 1)
      .filter((other) => bare(one) === bare(other) && isNegated(one) !== isNegated(other))
      .map((other) => `These constraints contradict each other: "${one}" and "${other}".`),
  )
}

/** What a conflict is about, in words: `current_state`, `decisions D-003`. */
export function placeOfConflict({ kind, field, subject }: MergeConflict): string {
  return kind === 'scalar' || kind === 'member' ? field : `${field} ${subject}`
}

/** The conflicts a record keeps, as far as they have the expected shape. */
export function parseConflicts(values: readonly Record<string, unknown>[]): readonly MergeConflict[] {
  return values.filter((value): value is Record<string, unknown> & MergeConflict => {
    const { id, kind, field, positions } = value
    const isKnown =
      typeof id === 'string' && typeof field === 'string' && CONFLICT_KINDS.some((known) => known === kind)
    return isKnown && Array.isArray(positions) && positions.every((position) => isJsonObject(position))
  })
}
