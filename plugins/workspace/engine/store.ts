import type { DocumentState, NewVersion, Rows, Schema, Statements, Substrate, Tx } from '../domain/rows.ts'
import type { FileVersion } from './file-version.ts'

/** The text of a file. */
export type FileEdit = Pick<NewVersion, 'text' | 'hash' | 'bytes'>

/** What the rules do when the engine itself notices something; each runs in a transaction of its own. */
export interface EngineHooks {
  /** The first open ever: `document` is version 1, the file as it was found. */
  bootstrap(tx: Tx, document: NewVersion): void
  /** Another program wrote the file: `document` is its text, already the newest version. */
  external(tx: Tx, document: NewVersion): void
  /** For what a hook threw because it is not ready yet: resolves when it may run again. */
  readiness?(thrown: unknown): Promise<unknown> | undefined
  /**
   * The file is an edit of `base`, or of a version that is not known, and the newest version is another one: keeps both,
   * by at most one new version. The file becomes the newest version afterwards. Absent: it is an external edit.
   */
  staleEdit?(tx: Tx, edit: FileEdit, base: FileVersion | undefined): void
  /** Whether the text with this hash is a version, even one whose text is no longer kept. Absent: none is known. */
  isVersion?(rows: Rows, sha256: string): boolean
  /** The file was deleted, became unreadable as text, or came back. Nothing is stored. */
  substrate?(substrate: Substrate): void
}

export interface StoreContent {
  readonly schema: Schema
  readonly statements: Statements
  readonly hooks: EngineHooks
}

/** How the last owner left: `clean` closed, `unclean` died (its acknowledged work is all here). */
export type Found = 'fresh' | 'clean' | 'unclean'

/**
 * The room's only writer. Owned by the caller that opened it, which closes it once.
 * Every verb throws `unavailable`/`store_poisoned` once a flush failed or the lock was lost, and for good.
 */
export interface Store {
  readonly found: Found
  /** Aborts when the store is poisoned: the owner must stop serving the room. The reason is the `SatchelError`. */
  readonly poisoned: AbortSignal
  /**
   * One mutation: looks at the file first (an external edit becomes a version before), then runs `work` in FIFO order
   * in one transaction, synchronously. Resolves when it and everything it saw is durable and published.
   * What `work` throws rolls everything back and is rethrown; nothing was written. To store *and* refuse, return the
   * refusal and throw it after this resolved. A `work` that ran no statement writes nothing.
   * Errors: `unavailable`/`store_unavailable` (disk full: nothing stored, works again with space; with
   * `details.version`: stored, but the file could not be replaced yet).
   */
  mutate<T>(work: (tx: Tx) => T): Promise<T>
  /** A consistent look, answered only when all it saw is durable. `work` is synchronous. */
  read<T>(work: (rows: Rows) => T): Promise<T>
  /** Looks at the file now: an external edit becomes a version (`hooks.external`). For document reads. */
  look(): Promise<DocumentState>
  /** Flushes, checkpoints into a new generation and closes. Idempotent; safe after poison (then it writes nothing). */
  close(): Promise<void>
}
