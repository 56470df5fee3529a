import type { EvidenceFinding } from '../../../server/plugin.ts'

/** Facts about the project, gathered before the checks so that every check is pure. */
export interface WorldFacts {
  /** What plugins found of the kinds of evidence that they provide, by the id of the item; absent: they were not asked. */
  readonly provided?: ReadonlyMap<string, EvidenceFinding>
  /** Other records of the store by lower-case id; absent: no store was checked. */
  readonly relatives?: ReadonlyMap<string, RelativeFacts>
  /** Files by the path a record names them with; absent: no files were checked. */
  readonly files?: ReadonlyMap<string, FileFact>
  /** Names in the project's folder, as written on disk; absent: no bare name had to be looked up. */
  readonly topNames?: ReadonlySet<string>
  /** Absent: git was not run. */
  readonly git?: GitFacts
  /** The changed files beyond those that a record names are as they were at its capture. */
  readonly isRestSame?: boolean
}

/** What a check needs to know of another record. */
export interface RelativeFacts {
  readonly id: string
  readonly status: string
  readonly flags: readonly string[]
  readonly relation: string
  readonly parents: readonly string[]
  readonly created_at: string
  readonly project_id: string
  readonly skeleton: boolean
}

export type FileFact =
  /** `sha256:<hex>` of the bytes; `unhashed` says why there is none. */
  | {
      readonly kind: 'file'
      readonly sha256?: string
      /** Digests of the text with other line ends; absent where no recorded digest needs them. */
      readonly byLineEnds?: readonly string[]
      readonly unhashed?: 'too_big' | 'out_of_time' | 'too_many'
    }
  | { readonly kind: 'directory' }
  /** `movedTo`: what was captured is in that file now, or what the captured commit has, with this digest. */
  | { readonly kind: 'missing'; readonly movedTo?: string; readonly sha256?: string }
  /** Never opened. */
  | { readonly kind: 'outside'; readonly detail: string }

export type GitFacts =
  | { readonly kind: 'none'; readonly reason: string }
  | {
      readonly kind: 'repository'
      readonly head: string | null
      readonly dirty: boolean | null
      /** Paths that differ from HEAD now. */
      readonly uncommitted: readonly string[]
      /** Why git could not list them; absent where it did. */
      readonly unlisted?: string
      /** Absent when the record captured no head. */
      readonly since?: SinceCapture
      /** By the commit reference as the record writes it. */
      readonly commits: ReadonlyMap<string, CommitFact>
      /** Head at which evidence was captured -> paths that differ from it; null: git could not tell. */
      readonly changedSince: ReadonlyMap<string, readonly string[] | null>
    }

export interface SinceCapture {
  readonly relation: 'same' | 'ahead' | 'behind' | 'diverged' | 'unrelated_history' | 'unknown'
  /** Commits from the captured head to HEAD. */
  readonly commitsAhead: number | null
  /** Paths that differ between the captured head and HEAD, without those of satchel; null: git could not tell. */
  readonly changed: readonly string[] | null
  /** Every path that differs is one that satchel itself writes. */
  readonly isOwnOnly: boolean
  /** The newest commits from the captured head to HEAD that changed more than the store, newest first. */
  readonly commits: readonly CommitLine[]
  readonly reason?: string
  /** The commit of HEAD's history that has all of the captured branch, where the captured head is not here. */
  readonly squashed?: string
  /** The first commit of HEAD's history, where the captured head is not part of it. */
  readonly root?: string
}

/** A commit as lists show it. */
export interface CommitLine {
  /** Abbreviated. */
  readonly id: string
  readonly subject: string
}

/**
 * `other_branch`: in a branch or tag, but not an ancestor of HEAD; `unreachable`: in none; `removed`: it was in the
 * repository when it was recorded; `untraced`: HEAD's history lacks it, and nothing tells whether it has the change;
 * `unchecked`: git could not tell; `moved`: the commit of HEAD's history that has the same
 * change; `reverted`: the commit of HEAD's history that takes the change back.
 */
export type CommitFact =
  | 'ancestor'
  | 'other_branch'
  | 'unreachable'
  | 'absent'
  | 'removed'
  | 'untraced'
  | 'beyond_shallow'
  | 'unchecked'
  | { readonly moved: string }
  | { readonly reverted: string }
