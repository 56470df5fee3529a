import { MUST_KEEP } from '../../plugins/handoff/domain/must-keep.ts'

/** What a session may know, by the part of the record that holds it. */
export const FACT_KINDS = [
  ...MUST_KEEP,
  'current_state',
  'decision',
  'rationale',
  'other_attempt',
  'open_item',
  'completed',
  'artifact',
  'drift',
  'commit',
] as const
export type FactKind = (typeof FACT_KINDS)[number]

/** The kinds that no bound may remove: over the bound they are listed by id with the call that reads them. */
const KEPT: ReadonlySet<FactKind> = new Set(MUST_KEEP)
/** The kinds that must be shown whole: a listing is not enough. */
const WHOLE: ReadonlySet<FactKind> = new Set(['objective', 'next_action', 'acceptance_check'])

/** One planted fact. */
export interface Fact {
  readonly kind: FactKind
  /** Ends the text of the fact, where a cut removes it. */
  readonly mark: string
  /** Where the record holds it; a listing names the list and the item. */
  readonly place?: { readonly list: string; readonly item: string }
  /** Must be in the text too. */
  readonly besides?: RegExp
}

export type Outcome = 'shown' | 'listed' | 'lost'

export function isMustKeep({ kind }: Fact): boolean {
  return KEPT.has(kind)
}

/** Whether a text that a session was given has the fact. */
export function outcomeOf(fact: Fact, given: string): Outcome {
  const isThere = new RegExp(`${fact.mark}(?![-\\w])`).test(given)
  if (isThere && (fact.besides?.test(given) ?? true)) return 'shown'
  if (WHOLE.has(fact.kind) || !fact.place) return 'lost'
  return isListed(fact.place, given) ? 'listed' : 'lost'
}

/** A listing is a call of `handoff_get` with, before it, the list's pointer and the item's own name or range. */
function isListed({ list, item }: NonNullable<Fact['place']>, given: string): boolean {
  const line = given.split(/\n|\\n/).find((text) => /^Left out or cut: .*handoff_get/.test(text))
  const names = line?.match(new RegExp(`\\(${list}((?: [\\w.-]+)*)\\)`))?.[1]
  if (names === undefined) return false
  return names
    .split(' ')
    .filter((name) => name !== '')
    .some((name) => {
      const [first = '', last = first] = name.split('..')
      return number(first) <= number(item) && number(item) <= number(last)
    })
}

function number(name: string): number {
  return Number(name.replace(/^[A-Z]-/, ''))
}
