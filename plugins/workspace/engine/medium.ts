import type { Bodies } from './bodies.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Journal } from './journal.ts'
import type { Codec } from './journal-record.ts'
import type { JournalTexts } from './journal-texts.ts'
import type { Recovered } from './recovery.ts'
import type { Sql } from './sql.ts'
import type { StoreContent } from './store.ts'

/**
 * Where the checkpoint, the journals and the texts of a room are kept: files beside the document, or a database. One owner
 * writes; what a verb wrote is durable when it resolves.
 */
export interface Medium {
  /** Reads all of it, and writes nothing. Errors: those of `recover`. */
  recover(sql: Sql, content: StoreContent, codec: Codec): Promise<Recovered>
  openBodies(texts: JournalTexts): Bodies
  /** Removes what an owner before left half made. */
  prepare(): Promise<void>
  /** A journal of its own, with a checkpoint, for what was recovered. */
  begin(recovered: Recovered, bodies: Bodies): Promise<Journal>
  /** The empty journal that a clean stop left. */
  reopen(recovered: Recovered): Journal
  /** An empty journal; an earlier attempt to make it may have been interrupted. */
  create(generation: number): Promise<Journal>
  /**
   * Makes the unfiled texts durable, then replaces the checkpoint, then removes the journals before it. An interruption at any
   * point leaves the old checkpoint with all its journals, or the new one with all its texts. It may be repeated.
   */
  keep(checkpoint: Checkpoint, bodies: Bodies): Promise<void>
}
