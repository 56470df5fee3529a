/** What a statement sends beside its text. */
export type SqlValue = string | number | boolean | Buffer | null | readonly string[]

/** A row of an answer, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * The PostgreSQL server of `storage.url`. Opens its connections at the first call; the host closes them. Errors, all
 * `unavailable`: `storage_unreachable`, `storage_password`, `storage_lost` and the others of the host's table.
 */
export interface Database {
  /** Database, host and port, without user and password. */
  readonly place: string
  /** Connects and checks the server, its schema and its clock, once. */
  ready(): Promise<void>
  /** Milliseconds to add to the clock of this machine for that of the server; 0 before the first connection. */
  clockOffsetMs(): number
  /** Runs a statement that changes nothing; one whose connection was lost is sent again. */
  query(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>
  /**
   * Changes rows in one transaction. `parts` are the parts of a WITH, of which the last is named `changed`; they take `values`
   * from $2 on. Returns the rows of `changed`. A connection that was lost in the middle of the commit is not guessed about: the
   * server is asked, and what was not committed is sent again once.
   * With `hint`, every process that listens is told of it at the commit, if a row changed.
   * Errors: `storage_unknown` if the server cannot be asked within 15 s.
   */
  write(parts: string, values: readonly SqlValue[], hint?: Hint): Promise<number>
  /**
   * Tells `listener` that a process may have committed a change of `topic`: which one, or undefined where any may have been
   * missed. A hint is late or missing where the connection for it is lost, and only servers have one: it saves a wait, and what
   * changed is asked for as without it. `listener` never throws.
   */
  onHint(topic: string, listener: (about: string | undefined) => void): void
  /**
   * Runs `action` while no other process holds the lock of this name; undefined if it is not free within `limitMs`.
   * A lock that is lost with its connection stops nothing: what must not happen twice is a condition of its statement.
   */
  locked<T>(
    name: string,
    limitMs: number,
    action: () => Promise<T>,
  ): Promise<{ readonly value: T } | undefined>
}

/** What changed, in few words: every process of the database hears it, also one without a right to the rows. */
export interface Hint {
  /** Without a space. */
  readonly topic: string
  /** Which one of them. */
  readonly about: string
}

/** What a copy between files and the database did. */
export interface CopiedRecords {
  readonly from: string
  readonly to: string
  readonly copied: number
  /** Were there already, with the same bytes. */
  readonly present: number
  /** Files that were left out because they are damaged; absent for none. */
  readonly damaged?: readonly string[]
  /** What a user may not expect, as a sentence. */
  readonly note?: string
}

/** How far what a machine keeps of the database is behind it. */
export interface StoreLag {
  /** Changes that are not there yet. */
  readonly changes: number
  /** Since it was last known to have all of them; 0 while it has. */
  readonly seconds: number
}

/** The part of a plugin that is kept in the database where `storage.url` is set. */
export interface DatabaseStore {
  /** What is kept: `handoffs`. */
  readonly name: string
  /** SQL; the n-th makes version n of the plugin's tables, all of them in the schema `satchel`. Never edit a released one. */
  readonly migrations: readonly string[]
  /** What would keep `importFiles` from copying; writes nothing. Errors: those of `importFiles`. */
  checkImport?(signal: AbortSignal): Promise<void>
  /** The same for `exportFiles`. */
  checkExport?(signal: AbortSignal): Promise<void>
  /**
   * Copies the project's files into the database, byte by byte; absent where the configuration keeps none there.
   * Errors: `conflict` before anything is written.
   */
  importFiles?(signal: AbortSignal): Promise<CopiedRecords>
  /** Copies the project's rows into files, byte by byte. Errors: `conflict` before anything is written. */
  exportFiles?(signal: AbortSignal): Promise<CopiedRecords>
  /** Where files of this machine follow the rows; `/ready` shows it. Errors: those of `Database`. */
  lag?(): Promise<StoreLag>
}
