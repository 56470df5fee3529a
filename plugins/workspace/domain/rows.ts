/** The port between the room's rules and its engine: the rules see rows and a transaction, never files. */

/** What a cell can hold. The journal is JSON, so no blobs and no bigints. */
export type Cell = string | number | null
export type Row = Readonly<Record<string, Cell>>
/** By name, without the colon: `{ id: 'prop_…' }` for `:id`. An undefined value is stored as NULL; a missing name throws. */
export type Params = Readonly<Record<string, Cell | undefined>>

/**
 * One line of the fixed SQL table. The journal stores `id` and parameters, never SQL: an id keeps its meaning, and
 * another meaning needs a new id. Ids are 1 and up (0 and below are the engine's). No `random()`, no SQL clock, no AUTOINCREMENT,
 * no `last_insert_rowid()`, no LIMIT without ORDER BY: replay must give the same rows.
 */
export interface Statement {
  readonly id: number
  readonly sql: string
}
export type Statements = Readonly<Record<string, Statement>>

/** The tables, created once. A sidecar whose version is newer is refused (`invalid`/`unsupported_version`). */
export interface Schema {
  readonly version: number
  readonly ddl: string
}

/** `invalid`: not a regular file, not UTF-8, or above 4 MiB. */
export type Substrate = 'ok' | 'missing' | 'invalid'

/** `unwritten`: the newest version is stored, and the disk or the folder refused it so far. */
export type FileState = Substrate | 'unwritten'

/** The newest version as the engine knows it; `version` 0 before the bootstrap. */
export interface DocumentState {
  readonly version: number
  /** sha256 of the UTF-8 bytes, lower-case hex. */
  readonly hash: string
  readonly bytes: number
  readonly substrate: FileState
}

/** A new newest version; the rules store its row (and events, superseded proposals, …) in the same transaction. */
export interface NewVersion {
  readonly version: number
  readonly hash: string
  readonly bytes: number
  readonly text: string
}

/** A consistent view of the room. Valid only inside the callback that received it. */
export interface Rows {
  all(statement: string, params?: Params): readonly Row[]
  one(statement: string, params?: Params): Row | undefined
  readonly document: DocumentState
  /** The newest version's text, byte-exact (BOM and CRLF kept). */
  documentText(): string
  /** A stored body; undefined when pruned or never stored. */
  body(sha256: string): string | undefined
  /** The id the next event will get, minus one; 0 in an empty room. */
  readonly latestEventId: number
}

/** One transaction: everything in it happens, durably and in mutex order, or nothing. */
export interface Tx extends Rows {
  run(statement: string, params?: Params): void
  /** Contiguous from 1, never reused. Every id taken must be stored in this transaction. */
  nextEventId(): number
  /**
   * Makes `text` the newest version and, after the flush, the file's content. At most once a transaction.
   * Errors: `conflict`/`substrate_invalid` on a file that is not text; `too_large`/`limit_exceeded` above 4 MiB or when
   * the room is full; `unavailable`/`store_unavailable` while an earlier version is not yet written to the file.
   */
  setDocument(text: string): NewVersion
  /**
   * Stores a body with the transaction and returns its sha256. Half a surrogate pair is stored as U+FFFD. Versions' bodies are
   * stored by the engine.
   */
  putBody(text: string): string
  /** Drops a body with the transaction; no row may name it any more. A body stored by the same transaction stays. */
  dropBody(sha256: string): void
  /** Refuses when the room's metadata exceeds 100 MB: `too_large`/`limit_exceeded`. For mutations that add content. */
  requireSpace(): void
  /** Runs once the transaction is durable, before its answer, in mutex order. Must not throw and must not wait. */
  onDurable(publish: () => void): void
}
