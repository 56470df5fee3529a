import { isJsonObject } from '../../../server/plugin.ts'
import { isCommitId } from './commit-id.ts'
import type { Evidence } from './record.ts'

/** Free members of evidence: what it was captured on, by which a later session tells whether it still holds. */
export interface EvidenceGround {
  /** HEAD at capture. */
  readonly head: string | undefined
  /** Identity of a commit's change, which a rebase or cherry-pick keeps: `sha256:<hex>`. */
  readonly patchId: string | undefined
  /** It no longer held when the record inherited it. */
  readonly isInheritedStale: boolean
}

/** The ground of an item. Malformed members count as absent. */
export function groundOf(item: Evidence | Readonly<Record<string, unknown>>): EvidenceGround {
  const { head, patch_id, verdict } = isJsonObject(item) ? item : {}
  return {
    head: typeof head === 'string' && isCommitId(head) ? head : undefined,
    patchId: typeof patch_id === 'string' ? patch_id : undefined,
    isInheritedStale: verdict === 'stale',
  }
}
