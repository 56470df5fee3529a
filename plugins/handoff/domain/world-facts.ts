/** Facts about the project, gathered before the checks so that every check is pure. */
export interface WorldFacts {
  /** Other records of the store by lower-case id; absent: no store was checked. */
  readonly relatives?: ReadonlyMap<string, RelativeFacts>
  /** Files by the path a record names them with; absent: no files were checked. */
  readonly files?: ReadonlyMap<string, FileFact>
  /** Absent: git was not run. */
  readonly git?: GitFacts
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
      readonly unhashed?: 'too_big' | 'out_of_time' | 'too_many'
    }
  | { readonly kind: 'directory' }
  | { readonly kind: 'missing' }
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
      /** Absent when the record captured no head. */
      readonly since?: SinceCapture
      /** By the commit reference as the record writes it. */
      readonly commits: ReadonlyMap<string, CommitFact>
    }

export interface SinceCapture {
  readonly relation: 'same' | 'ahead' | 'behind' | 'diverged' | 'unrelated_history' | 'unknown'
  /** Commits from the captured head to HEAD. */
  readonly commitsAhead: number | null
  /** Paths that differ between the captured head and HEAD. */
  readonly changed: readonly string[]
  readonly reason?: string
}

/** `other_branch`: in a branch or tag, but not an ancestor of HEAD; `unreachable`: in none; `unchecked`: git could not tell. */
export type CommitFact = 'ancestor' | 'other_branch' | 'unreachable' | 'absent' | 'unchecked'
