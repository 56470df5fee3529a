import type { GivenItem } from './item-ids.ts'
import { artifactOf } from './new-items.ts'
import { failedAttempts, type Handoff, type ItemCollection } from './record.ts'

/** What a child inherits from its parent. */
export interface Inheritance {
  readonly items: Readonly<Record<ItemCollection, readonly Record<string, unknown>[]>>
  /** Descriptions of the open items that `closes` names. */
  readonly closed: readonly string[]
  readonly unknownCloses: readonly string[]
}

/** The items a child inherits, without the open items that `closes` names. */
export function inheritance(parent: Handoff | undefined, closes: readonly string[]): Inheritance {
  const open = parent?.open_items ?? []
  const closed = open.filter((item) => closes.includes(item.id))
  const known = new Set(open.map((item) => item.id))
  const closedIds = new Set(closed.map((item) => item.id))
  return {
    items: {
      decisions: parent ? asGiven(parent.decisions) : [],
      evidence: parent ? asGiven(parent.evidence) : [],
      failed_attempts: parent ? asGiven(failedAttempts(parent)) : [],
      // A closed item no longer blocks others.
      open_items: asGiven(open.filter((item) => !closedIds.has(item.id))).map((item) => ({
        ...item,
        blocked_by: Array.isArray(item['blocked_by'])
          ? item['blocked_by'].filter((id) => !closedIds.has(String(id)))
          : [],
      })),
    },
    closed: closed.map((item) => item.description),
    unknownCloses: closes.filter((id) => !known.has(id)),
  }
}

function asGiven(items: readonly object[]): Record<string, unknown>[] {
  return items.map((item) => ({ ...item }))
}

/** Inherited artifacts; a given artifact replaces one of the same path. */
export function withArtifacts(
  inherited: readonly object[],
  given: readonly GivenItem[],
): Record<string, unknown>[] {
  const fresh = given.map(artifactOf)
  const paths = new Set(fresh.map((artifact) => artifact['path']))
  return [...asGiven(inherited).filter((artifact) => !paths.has(artifact['path'])), ...fresh]
}
