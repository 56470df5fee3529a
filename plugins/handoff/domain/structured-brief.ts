import { shownText } from './fence.ts'
import { firstNextAction } from './next-action.ts'
import { failedAttempts, type Handoff, type OpenItem } from './record.ts'

/** A brief as data: every text with its invisible characters shown, every list cut at its most important entries. */
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

const MAX_ENTRIES = 20
const RANK = { high: 0, medium: 1, low: 2 } as const

/** The parts of a record that whoever resumes it acts on. */
export function structuredOf(record: Handoff): Structured {
  const first = firstNextAction(record)
  const ranked = [...record.open_items].sort(
    (a, b) => Number(b === first) - Number(a === first) || RANK[a.priority] - RANK[b.priority],
  )
  return {
    objective: shownText(record.work.objective),
    constraints: record.work.constraints.map(shownText),
    do_not_retry: failedAttempts(record)
      .filter((attempt) => attempt.avoid_repeating)
      .map(({ id, approach, reason }) => ({
        id,
        approach: shownText(approach),
        reason: shownOrNull(reason),
      })),
    next_actions: ranked
      .filter(hasAction)
      .slice(0, MAX_ENTRIES)
      .map((item) => ({
        id: item.id,
        priority: item.priority,
        action: shownText(item.suggested_action ?? ''),
        description: shownText(item.description),
      })),
    decisions: record.decisions.slice(0, MAX_ENTRIES).map(({ id, decision, rationale }) => ({
      id,
      decision: shownText(decision),
      rationale: shownOrNull(rationale),
    })),
    artifacts: record.artifacts
      .slice(0, MAX_ENTRIES)
      .map(({ path, role }) => ({ path: shownText(path), role })),
    open_questions: ranked
      .filter((item) => !hasAction(item))
      .slice(0, MAX_ENTRIES)
      .map(({ description }) => shownText(description)),
  }
}

function hasAction(item: OpenItem): boolean {
  return item.suggested_action !== null && item.suggested_action !== ''
}

function shownOrNull(text: string | null): string | null {
  return text === null ? null : shownText(text)
}
