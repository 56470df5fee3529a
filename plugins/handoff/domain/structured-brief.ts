import { withinBytes } from './answer-budget.ts'
import { shownText, wholeChars } from './fence.ts'
import { actionOf, firstNextAction } from './next-action.ts'
import { failedAttempts, type Handoff, type OpenItem } from './record.ts'

/** A brief as data: texts show invisible characters, lists hold their most important entries. */
export interface Structured {
  readonly objective: string
  readonly constraints: readonly string[]
  readonly do_not_retry: readonly {
    readonly id: string
    readonly approach: string
    readonly reason: string | null
  }[]
  readonly next_actions: readonly {
    readonly id: string
    readonly priority: string
    readonly action: string
    readonly description: string
  }[]
  readonly decisions: readonly {
    readonly id: string
    readonly decision: string
    readonly rationale: string | null
  }[]
  readonly artifacts: readonly { readonly path: string; readonly role: string }[]
  readonly open_questions: readonly string[]
}

export interface StructuredBrief {
  readonly structured: Structured
  /** List -> entries that were left out. */
  readonly leftOut: Readonly<Record<string, number>>
  /** JSON pointer of the first text that was left out or cut; undefined if everything is shown. */
  readonly more: string | undefined
}

const MAX_ENTRIES = 20
/** Longest text; `handoff_get` shows the whole. */
const TEXT_CHARS = 2000
/** All lists together, as JSON: about 8,000 tokens beside the brief, below the limits of clients. */
const LISTS_BYTES = 32 * 1024
const RANK = { high: 0, medium: 1, low: 2 } as const

const POINTERS: Readonly<Record<keyof Structured, string>> = {
  objective: '/work/objective',
  constraints: '/work/constraints',
  do_not_retry: '/failed_attempts',
  next_actions: '/open_items',
  decisions: '/decisions',
  artifacts: '/artifacts',
  open_questions: '/open_items',
}

/** The parts of a record that the next session acts on, within a fixed size. */
export function structuredOf(record: Handoff): StructuredBrief {
  const shortened = new Set<keyof Structured>()
  const all = listsOf(record, (text, part) => {
    const shown = shownText(text)
    if (shown.length <= TEXT_CHARS) return shown
    shortened.add(part)
    return `${wholeChars(shown, TEXT_CHARS - 1)}…`
  })
  const { objective, constraints, do_not_retry } = all
  const first = <T>(list: readonly T[]): readonly T[] => list.slice(0, MAX_ENTRIES)
  // Constraints and failed attempts as far as they fit; of the rest the most important.
  const { lists } = withinBytes(
    {
      constraints,
      do_not_retry,
      next_actions: first(all.next_actions),
      decisions: first(all.decisions),
      artifacts: first(all.artifacts),
      open_questions: first(all.open_questions),
    },
    LISTS_BYTES,
  )
  const missing = (name: keyof typeof lists): number => all[name].length - lists[name].length
  const names = Object.keys(lists) as (keyof typeof lists)[] // of the literal above
  const short = names.filter((name) => missing(name) > 0)
  const [more] = [...short, ...shortened]
  return {
    structured: { objective, ...lists },
    leftOut: Object.fromEntries(short.map((name) => [name, missing(name)])),
    more: more && POINTERS[more],
  }
}

function listsOf(record: Handoff, shown: (text: string, part: keyof Structured) => string): Structured {
  const first = firstNextAction(record)
  const ranked = [...record.open_items].sort(
    (a, b) => Number(b === first) - Number(a === first) || RANK[a.priority] - RANK[b.priority],
  )
  const isNext = (item: OpenItem) => hasAction(item) || item === first
  return {
    objective: shown(record.work.objective, 'objective'),
    constraints: record.work.constraints.map((text) => shown(text, 'constraints')),
    do_not_retry: failedAttempts(record)
      .filter((attempt) => attempt.avoid_repeating)
      .map(({ id, approach, reason }) => ({
        id,
        approach: shown(approach, 'do_not_retry'),
        reason: reason && shown(reason, 'do_not_retry'),
      })),
    next_actions: ranked.filter(isNext).map((item) => ({
      id: item.id,
      priority: item.priority,
      action: shown(actionOf(item), 'next_actions'),
      description: shown(item.description, 'next_actions'),
    })),
    decisions: record.decisions.map(({ id, decision, rationale }) => ({
      id,
      decision: shown(decision, 'decisions'),
      rationale: rationale && shown(rationale, 'decisions'),
    })),
    artifacts: record.artifacts.map(({ path, role }) => ({ path: shown(path, 'artifacts'), role })),
    open_questions: ranked
      .filter((item) => !isNext(item))
      .map(({ description }) => shown(description, 'open_questions')),
  }
}

function hasAction(item: OpenItem): boolean {
  return item.suggested_action !== null && item.suggested_action !== ''
}
