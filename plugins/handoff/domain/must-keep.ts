import type { JudgedClaim } from './claim-verdicts.ts'
import { shownText } from './fence.ts'
import { actionOf, firstNextAction } from './next-action.ts'
import { failedAttempts, type Handoff } from './record.ts'
import { sha256Hex } from './record-id.ts'

/** The parts that a session must still know after a compaction (design round-2, section 2). */
export const MUST_KEEP = [
  'objective',
  'next_action',
  'acceptance_check',
  'definition_of_done',
  'constraint',
  'do_not_retry',
  'claim',
] as const

/** One fact of a record that must be kept. */
export interface KeptFact {
  readonly kind: (typeof MUST_KEEP)[number]
  /** Id of the item, or its place in its list; empty for a single text. */
  readonly id: string
  readonly text: string
}

/** The facts of a record that must be kept. */
export function mustKeepOf(record: Handoff, claims: readonly JudgedClaim[]): readonly KeptFact[] {
  const { work } = record
  const next = firstNextAction(record)
  const broken = new Set(
    claims.flatMap(({ evidence_id, verdict }) =>
      verdict === 'stale' || verdict === 'contradicted' ? evidence_id : [],
    ),
  )
  const listed = (kind: KeptFact['kind'], texts: readonly string[]) =>
    texts.map((text, at) => ({ kind, id: `${at}`, text }))
  return [
    { kind: 'objective', id: '', text: work.objective },
    ...(next ? [{ kind: 'next_action' as const, id: next.id, text: actionOf(next) }] : []),
    ...(next?.acceptance_check
      ? [{ kind: 'acceptance_check' as const, id: next.id, text: next.acceptance_check }]
      : []),
    ...listed('definition_of_done', work.definition_of_done),
    ...listed('constraint', work.constraints),
    ...failedAttempts(record)
      .filter((attempt) => attempt.avoid_repeating)
      .map(({ id, approach }) => ({ kind: 'do_not_retry' as const, id, text: approach })),
    ...record.evidence
      .filter(({ id }) => broken.has(id))
      .map(({ id, claim }) => ({ kind: 'claim' as const, id, text: claim })),
  ]
}

/** A digest by which a fact is compared without its text. */
export function digestOf({ kind, text }: KeptFact): string {
  return sha256Hex(`${kind}\n${text}`).slice(0, 16)
}

/** Whether a text that was given to a session shows a fact whole. White space may differ: a brief indents lines. */
export function isShown({ text }: KeptFact, given: string): boolean {
  return compact(given).includes(compact(shownText(text)))
}

function compact(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

const LISTS: Readonly<Partial<Record<KeptFact['kind'], string>>> = {
  definition_of_done: '/work/definition_of_done',
  constraint: '/work/constraints',
  do_not_retry: '/failed_attempts',
  claim: '/evidence',
}

/** Whether the last line of a brief names a fact by its list and its id, with the call that reads it. */
export function isListed({ kind, id }: KeptFact, given: string): boolean {
  const list = LISTS[kind]
  const line = given.split('\n').find((text) => /^Left out or cut: .*handoff_get/.test(text))
  const start = list === undefined || line === undefined ? -1 : line.indexOf(`(${list} `)
  if (line === undefined || list === undefined || start < 0) return false
  const names = line.slice(start + list.length + 2, line.indexOf(')', start)).split(' ')
  return names.some((name) => {
    const [first = '', last = first] = name.split('..')
    return numberIn(first) <= numberIn(id) && numberIn(id) <= numberIn(last)
  })
}

function numberIn(id: string): number {
  return Number(id.replace(/^\D+/, ''))
}
