import { LIMITS } from './limits.ts'
import type { Moment } from './moment.ts'

export type VersionSource = 'bootstrap' | 'commit' | 'proposal' | 'external'

/** One state of the document. The row is kept forever, its text for the newest 200 versions or 32 MiB. */
export interface Version {
  readonly version: number
  /** sha256 of the text, lower-case hex. */
  readonly content_hash: string
  readonly bytes: number
  readonly target: string
  readonly summary: string
  readonly actor_id?: string
  readonly source: VersionSource
  readonly proposal_id?: string
  /** The pending proposals that it overtook as a commit, so that a repeated one can say the same; absent for none. */
  readonly superseded?: readonly string[]
  readonly created_at: Moment
}

/** Of versions newest first, those whose text is dropped; the newest always stays. */
export function textsToDrop<T extends { readonly bytes: number }>(newestFirst: readonly T[]): readonly T[] {
  let bytes = 0
  return newestFirst.filter(({ bytes: own }, index) => {
    bytes += own
    return index > 0 && (index >= LIMITS.versionTexts || bytes > LIMITS.versionTextBytes)
  })
}
