import { isJsonObject } from '../../../server/plugin.ts'
import { isCommitId } from './commit-id.ts'
import { patchPathsIn } from './patch-id.ts'
import type { Evidence } from './record.ts'

/** Free members of evidence: what it was captured on, by which a later session tells whether it still holds. */
export interface EvidenceGround {
  /** HEAD at capture. */
  readonly head: string | undefined
  /** Identity of a commit's change, which a rebase or cherry-pick keeps: `sha256:<hex>`. */
  readonly patchId: string | undefined
  /** The first files of that change, from the root of the repository; absent in records of earlier versions. */
  readonly paths: readonly string[] | undefined
  /** Of a commit that has no such change: a merge, an empty one, or one of records alone. */
  readonly tree: string | undefined
  /** It no longer held when the record inherited it. */
  readonly isInheritedStale: boolean
}

/** The ground of an item. Malformed members count as absent. */
export function groundOf(item: Evidence | Readonly<Record<string, unknown>>): EvidenceGround {
  const { head, patch_id, paths, tree, verdict } = isJsonObject(item) ? item : {}
  return {
    head: typeof head === 'string' && isCommitId(head) ? head : undefined,
    patchId: typeof patch_id === 'string' ? patch_id : undefined,
    paths: patchPathsIn(paths),
    tree: typeof tree === 'string' && isCommitId(tree) ? tree : undefined,
    isInheritedStale: verdict === 'stale',
  }
}

/** The kind of evidence that a plugin provides, with its facts: a free member of the item named after the kind. */
export interface ProvidedEvidence {
  readonly kind: string
  readonly facts: unknown
}

/**
 * What a plugin captured for an observation, or what its author names to be captured. `known` are the kinds that plugins
 * provide here; an item also says itself which kind it was captured as.
 */
export function providedOf(
  item: Evidence | Readonly<Record<string, unknown>>,
  known: readonly string[],
): ProvidedEvidence | undefined {
  if (!isJsonObject(item) || item['type'] !== 'observation') return undefined
  const { kind } = item
  const names = [...(typeof kind === 'string' ? [kind] : []), ...known]
  const name = names.find((one) => !OWN.has(one) && Object.hasOwn(item, one))
  return name === undefined ? undefined : { kind: name, facts: item[name] }
}

/** Members that evidence has anyway. */
const OWN: ReadonlySet<string> = new Set(
  'id type claim ref captured_at result digest head patch_id paths tree verdict kind'.split(' '),
)

/** Whether a plugin captured the item, so that its facts stay as they are. */
export function isProvided(item: Readonly<Record<string, unknown>>): boolean {
  const { kind } = item
  return typeof kind === 'string' && !OWN.has(kind) && isJsonObject(item[kind])
}

/** Whether the item has members of its author's own. */
export function hasFreeMember(item: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(item).some((name) => !OWN.has(name))
}
