import { onStage } from '../stage.ts'
import { askModel, type Message, type ModelEndpoint } from './endpoint.ts'
import { judgePlan, PLAN_QUESTION, type ProbedRecord, probedRecord, probesOf } from './probes.ts'

/** What a model is given after a compaction. */
export const ARMS = ['summary', 'brief', 'both'] as const
export type Arm = (typeof ARMS)[number]

/** What a model knew and meant to do in one arm. */
export interface ArmReport {
  readonly arm: Arm
  readonly right: number
  readonly probes: number
  readonly broken_constraints: number
  readonly attempts_retried: number
  /** Null: it edits nothing, or its plan was not readable. */
  readonly actions_before_first_edit: number | null
  /** Answers that were not a list of actions. */
  readonly unreadable: number
  /** Null: the endpoint does not count. */
  readonly tokens: number | null
}

export interface ModelReport {
  readonly model: string
  readonly arms: readonly ArmReport[]
}

export interface Bench {
  readonly endpoint: ModelEndpoint
  /** Questions in each arm. */
  readonly probes: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  note(line: string): void
}

/**
 * Asks a model what it knows after a compaction: with the summary that it wrote itself, as a harness asks for one, with
 * the brief of the hook, and with both. One request after the other. Errors: those of `askModel`.
 */
export async function measureModel(bench: Bench): Promise<ModelReport> {
  const record = probedRecord()
  bench.note('playing a session up to its compaction')
  const brief = await briefOf(bench, record)
  bench.note('asking for a summary')
  const story = storyOf(record)
  const summary = (await ask(bench, `${story}\n\n${SUMMARY_QUESTION}`)).text
  const contexts: Readonly<Record<Arm, string>> = { summary, brief, both: `${summary}\n\n${brief}` }
  const arms: ArmReport[] = []
  for (const arm of ARMS) {
    bench.note(`asking with ${arm === 'both' ? 'summary and brief' : `the ${arm}`}`)
    arms.push(await measureArm(bench, record, { arm, context: contexts[arm] }))
  }
  return { model: bench.endpoint.model, arms }
}

const SUMMARY_QUESTION =
  'The conversation ends here. Summarise it in at most 300 words, so that another session can go on with the work.'

async function measureArm(
  bench: Bench,
  record: ProbedRecord,
  { arm, context }: { readonly arm: Arm; readonly context: string },
): Promise<ArmReport> {
  const probes = probesOf(record, bench.probes)
  const tokens: (number | undefined)[] = []
  let right = 0
  for (const { question, isRight } of probes) {
    const answer = await ask(bench, question, context)
    tokens.push(answer.tokens)
    if (isRight(answer.text)) right += 1
  }
  const planned = await ask(bench, PLAN_QUESTION, context)
  tokens.push(planned.tokens)
  const plan = judgePlan(record, planned.text)
  return {
    arm,
    right,
    probes: probes.length,
    broken_constraints: plan.brokenConstraints,
    attempts_retried: plan.attemptsRetried,
    actions_before_first_edit: plan.actionsBeforeFirstEdit ?? null,
    unreadable: plan.isUnreadable ? 1 : 0,
    tokens: tokens.includes(undefined) ? null : tokens.reduce<number>((sum, one) => sum + (one ?? 0), 0),
  }
}

function ask({ endpoint, signal }: Bench, question: string, context?: string) {
  const known: Message[] = context === undefined ? [] : [{ role: 'system', content: context }]
  return askModel(endpoint, [...known, { role: 'user', content: question }], signal)
}

/** What the hook gives the session after its compaction. */
async function briefOf({ env }: Bench, { planted }: ProbedRecord): Promise<string> {
  return await onStage(env, async (stage) => {
    const session = await stage.session('A')
    await session.hook('session-start', { source: 'startup' })
    await session.data('handoff_create', planted.input)
    await session.hook('pre-compact', { trigger: 'auto' })
    return await session.hook('session-start', { source: 'compact' })
  })
}

/** Lines of work between two facts, which a summary must tell from what matters. */
const WORK = [
  'I read src/callback.ts and followed the calls of compare().',
  'The test run printed 214 lines; 3 tests failed, all in the callback suite.',
  'git diff --stat: src/callback.ts 12 +++---, test/callback.test.ts 40 +++.',
  'I looked for other callers; there are four, none of them in this package.',
  'The linter is content after one import was sorted.',
]

/** The facts of the record as a conversation tells them. */
function storyOf({ planted: { input } }: ProbedRecord): string {
  const said = textsIn(input).flatMap((text, at) => [
    `user: ${text}`,
    `assistant: ${WORK[at % WORK.length]} ${WORK[(at * 3 + 1) % WORK.length]}`,
  ])
  return said.join('\n')
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
