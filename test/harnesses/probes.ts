import { type BuiltProject, PLANTED, QUERY } from './project.ts'
import type { ScriptedCall } from './stub-model.ts'

/** A fact that a model must find in the result of a call. */
export interface Fact {
  readonly name: string
  /** One of these texts must be there. */
  readonly said: readonly (string | RegExp)[]
}

/** A call and what a model must learn from its result. */
export interface Probe extends ScriptedCall {
  readonly facts: readonly Fact[]
}

/** A model uses the short form of an id as well as the whole. */
const SHORT_ID_CHARS = 12
const RESUMED = [
  'objective',
  'state',
  'constraint-one',
  'constraint-two',
  'constraint-three',
  'done-one',
  'done-two',
  'decision',
  'rationale',
  'attempt',
  'attempt-reason',
  'item',
  'action',
  'acceptance',
]
const BAD_RECORD = {
  title: 'a',
  objective: 'b',
  current_state: 'c',
  decisions: [{ decision: 3 }],
  evidence: [{ type: 'test', claim: 7 }],
  failed_attempts: [{ approach: 1 }],
  open_items: [{ priority: 'urgent' }, { priority: 'soon' }, { priority: 1 }],
}
const BAD_POINTERS = [
  '/decisions/0/decision',
  '/evidence/0/claim',
  '/failed_attempts/0/approach',
  '/open_items/0/priority',
  '/open_items/1/priority',
  '/open_items/2/priority',
]

/** The calls of one run, each with the facts that it must give to a model. */
export function probesOf({ folder, found }: BuiltProject): readonly Probe[] {
  const source = `git::file://${folder}/catalog//modules/subnet-1?ref=v1.0.0`
  const hcl = `module "subnets" {\n  source = "${source}"\n  network_ident = "x"\n}\n`
  return [
    {
      tool: 'handoff_resume',
      args: { mark: false },
      // The word ends there: `fact-attempt` is not part of `fact-attempt-reason`.
      facts: RESUMED.map((name) => ({ name, said: [new RegExp(`fact-${name}(?![-\\w])`)] })),
    },
    {
      tool: 'get_module',
      args: { repository: 'catalog' },
      facts: [...PLANTED.requiredInputs, ...PLANTED.outputs].map(fact),
    },
    {
      tool: 'search_modules_vector',
      args: { query: QUERY },
      facts: found.map((id, at) => ({ name: `id ${at + 1}`, said: [id.slice(0, SHORT_ID_CHARS)] })),
    },
    {
      tool: 'module_check',
      args: { hcl },
      facts: [
        { name: 'missing input', said: [/required input \W{0,3}network_id\W/] },
        { name: 'unknown input', said: [/no input \W{0,3}network_ident\W/] },
        { name: 'its line', said: [/line\W{0,4}3\b/] },
      ],
    },
    {
      tool: 'workspace_read',
      args: {},
      facts: [{ name: 'last line or a cut', said: [PLANTED.lastLine, /lines \d+\W+\d+ of \d+/] }],
    },
    { tool: 'handoff_create', args: BAD_RECORD, facts: BAD_POINTERS.map(fact) },
  ]
}

function fact(text: string): Fact {
  return { name: text, said: [text] }
}

export const TEXT_MARK = 'mark-of-the-text'
export const DATA_MARK = 'mark-of-the-data'

/** The calls whose results carry a mark in each channel: one succeeds, one fails. */
export const MARK_CALLS: readonly ScriptedCall[] = [
  { tool: 'marks_result', args: {} },
  { tool: 'marks_error', args: {} },
]

export type Channel = 'text' | 'data' | 'both' | 'neither'

/** The channel whose marks a model was given. */
export function channelOf(given = ''): Channel {
  const [text, data] = [given.includes(TEXT_MARK), given.includes(DATA_MARK)]
  if (text && data) return 'both'
  if (text) return 'text'
  return data ? 'data' : 'neither'
}

/** The facts of a probe that a model was not given. */
export function missingFacts({ facts }: Probe, given = ''): readonly string[] {
  const isSaid = (text: string | RegExp) =>
    typeof text === 'string' ? given.includes(text) : text.test(given)
  return facts.filter(({ said }) => !said.some(isSaid)).map(({ name }) => name)
}
