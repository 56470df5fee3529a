/** What a room of this process did, for `/metrics`. Owned by the process; a room that is opened again counts on. */
export interface Meter {
  /** Mutations and reads that wait for their turn. */
  waiting: number
  /** Flushes of the journal. */
  flushes: number
}

export function createMeter(): Meter {
  return { waiting: 0, flushes: 0 }
}
