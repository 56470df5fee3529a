import { nearest } from '../../../server/plugin.ts'
import { danglingEvidence } from '../domain/checks/references.ts'
import type { GivenItem } from '../domain/item-ids.ts'
import {
  artifactOf,
  decisionOf,
  evidenceOf,
  failedAttemptOf,
  openItemOf,
  riskOf,
} from '../domain/new-items.ts'
import { firstNextAction } from '../domain/next-action.ts'
import type { Handoff } from '../domain/record.ts'
import { quoted } from '../domain/secrets.ts'

/** List of a record -> the members that the schema names for its items. */
const MEMBERS = {
  decisions: Object.keys(decisionOf({}, '')),
  evidence: Object.keys(evidenceOf({}, '')),
  failed_attempts: Object.keys(failedAttemptOf({})),
  open_items: Object.keys(openItemOf({})),
  artifacts: Object.keys(artifactOf({})),
  risks: Object.keys(riskOf({})),
} as const

type GivenLists = Readonly<Partial<Record<keyof typeof MEMBERS, readonly GivenItem[] | undefined>>>

/** Share of a name that may differ from the member that was meant. */
const NEAR_SHARE = 0.34
const MAX_WARNINGS = 20

/**
 * What an author should look at in the items just written: members that no reader knows although a known one is near
 * (they stay as sent), and references to evidence that the record does not have.
 */
export function itemWarnings(given: GivenLists, record: Handoff): string[] {
  const lists = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[] // the keys of the literal above
  const unknown = lists.flatMap((list) =>
    (given[list] ?? []).flatMap((item) =>
      neighbours(item, MEMBERS[list]).map(
        ({ name, near }) =>
          `${list}: "${quoted(name, 40)}" is kept, but no reader knows it; did you mean "${near}"?`,
      ),
    ),
  )
  const dangling = danglingEvidence(record).map(({ detail, pointer }) => `${pointer}: ${detail}.`)
  const all = [...new Set([...unknown, ...dangling, ...actionWarnings(given, record)])]
  if (all.length <= MAX_WARNINGS) return all
  return [...all.slice(0, MAX_WARNINGS), `${all.length - MAX_WARNINGS} further warnings on items.`]
}

/** The items of a record that its version before does not have. */
export function changedItems(before: Handoff, record: Handoff): GivenLists {
  const changed = (list: keyof typeof MEMBERS) => {
    const known = new Set((before[list] ?? []).map((item) => JSON.stringify(item)))
    return (record[list] ?? []).filter((item) => !known.has(JSON.stringify(item)))
  }
  return Object.fromEntries(Object.keys(MEMBERS).map((list) => [list, changed(list as keyof typeof MEMBERS)]))
}

/** Open items of which none says what to do: the brief then makes do with a description. */
function actionWarnings({ open_items = [] }: GivenLists, record: Handoff): string[] {
  if (open_items.length === 0 || record.open_items.some((item) => item.suggested_action)) return []
  const next = firstNextAction(record)
  const shown = next
    ? `the brief shows the description of ${next.id} as the next action`
    : 'every one is blocked'
  return [`open_items: no open item has a suggested_action; ${shown}.`]
}

/** Unknown members of an item with a known one near that the item does not have. */
function neighbours(item: GivenItem, members: readonly string[]) {
  const free = members.filter((member) => (item[member] ?? undefined) === undefined)
  return Object.keys(item).flatMap((name) => {
    if (members.includes(name)) return []
    const near = nearest(name, free, NEAR_SHARE) ?? free.find((member) => isPartOf(name, member))
    return near === undefined ? [] : [{ name, near }]
  })
}

/** `action` is a part of `suggested_action`. */
function isPartOf(name: string, member: string): boolean {
  const words = member.split('_')
  return words.length > 1 && name.length > 2 && words.includes(name.toLowerCase())
}
