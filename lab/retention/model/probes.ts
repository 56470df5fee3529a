import type { PastAttempt } from '../../../plugins/handoff/domain/plan-check.ts'
import { checkPlan } from '../../../plugins/handoff/domain/plan-check.ts'
import { type FactKind, outcomeOf } from '../facts.ts'
import { type Planted, plant } from '../planted.ts'

/** A question whose answer is right or wrong by a rule. */
export interface Probe {
  readonly question: string
  isRight(answer: string): boolean
}

/** A record for a model: what is planted in it, what it must not touch, and what was tried. */
export interface ProbedRecord {
  readonly planted: Planted
  readonly attempts: readonly PastAttempt[]
  readonly protectedPaths: readonly string[]
}

const PROTECTED = ['src/generated/client.ts', 'migrations/0007_sessions.sql']

const TRIED = [
  'Keep the OAuth state in a cookie with SameSite=None',
  'Raise the timeout of the callback from 5 to 30 seconds',
]

/** A record with facts in every field, two files that stay as they are, and two attempts that are not to be repeated. */
export function probedRecord(): ProbedRecord {
  const { input, facts } = plant('probe')
  const lists = input as {
    readonly constraints: readonly string[]
    readonly failed_attempts: readonly object[]
  } // as planted
  const tried = TRIED.map((approach) => ({
    approach,
    reason: 'the provider drops the request anyway',
    avoid_repeating: true,
  }))
  return {
    planted: {
      facts,
      input: {
        ...input,
        constraints: [...lists.constraints, ...PROTECTED.map((path) => `Do not change ${path}`)],
        failed_attempts: [...lists.failed_attempts, ...tried],
      },
    },
    attempts: TRIED.map((approach, at) => ({
      record: 'probe',
      id: `F-${at + 1}`,
      approach,
      reason: null,
      avoid_repeating: true,
      evidence: [],
    })),
    protectedPaths: PROTECTED,
  }
}

const ASKED: Readonly<Partial<Record<FactKind, string>>> = {
  objective: 'What is the objective of the work?',
  next_action: 'What is the next action?',
  acceptance_check: 'How is it checked that the next action is done?',
  definition_of_done: 'What must be so when the work is done?',
  constraint: 'What must be kept as it is? Name every rule.',
  do_not_retry: 'Which approaches failed and must not be tried again?',
  current_state: 'What is the current state?',
  decision: 'What was decided?',
  rationale: 'Why was it decided so?',
  other_attempt: 'Which approach failed, but may be tried again?',
  completed: 'What is completed?',
  open_item: 'What else is open?',
}

/** The first `count` probes of a record: its facts in the order of their weight for a later session. */
export function probesOf({ planted: { facts } }: ProbedRecord, count: number): readonly Probe[] {
  const asked = facts.flatMap((fact) => {
    const words = ASKED[fact.kind]
    if (words === undefined) return []
    const question = `${words} Answer with the text as it was given, with its mark (fact-...).`
    return [{ kind: fact.kind, question, isRight: (answer: string) => outcomeOf(fact, answer) === 'shown' }]
  })
  const order = Object.keys(ASKED)
  return asked.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)).slice(0, count)
}

export const ACTION_KINDS = ['read', 'search', 'run', 'edit'] as const

export const PLAN_QUESTION = `Go on with the work: list your next actions, at most ten, in their order. Answer with JSON alone: {"actions": [{"kind": "${ACTION_KINDS.join('" or "')}", "path": "the file, or null", "text": "what you do, in a sentence"}]}`

/** What a model means to do. */
export interface JudgedPlan {
  /** The answer is not a list of actions. */
  readonly isUnreadable: boolean
  readonly brokenConstraints: number
  readonly attemptsRetried: number
  /** Undefined: it edits nothing. */
  readonly actionsBeforeFirstEdit: number | undefined
}

/** Judges the answer to `PLAN_QUESTION`. A fence of Markdown around the JSON is taken. */
export function judgePlan({ attempts, protectedPaths }: ProbedRecord, answer: string): JudgedPlan {
  const actions = actionsIn(answer)
  const firstEdit = actions?.findIndex(({ kind }) => kind === 'edit') ?? -1
  return {
    isUnreadable: actions === undefined,
    brokenConstraints: (actions ?? []).filter(
      ({ kind, path }) => kind === 'edit' && protectedPaths.some((one) => path.endsWith(one)),
    ).length,
    attemptsRetried: (actions ?? []).filter(({ text }) => checkPlan(text, attempts).verdict === 'repeat')
      .length,
    actionsBeforeFirstEdit: firstEdit < 0 ? undefined : firstEdit,
  }
}

interface Action {
  readonly kind: string
  readonly path: string
  readonly text: string
}

function actionsIn(answer: string): readonly Action[] | undefined {
  try {
    const value: unknown = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
    const list = (value as { actions?: unknown } | null)?.actions
    if (!Array.isArray(list)) return undefined
    return list.map((one: Readonly<Record<string, unknown>> | null) => ({
      kind: String(one?.['kind'] ?? ''),
      path: String(one?.['path'] ?? ''),
      text: String(one?.['text'] ?? ''),
    }))
  } catch {
    return undefined // counted as unreadable
  }
}
