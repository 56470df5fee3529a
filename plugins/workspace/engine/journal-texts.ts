/** What a record says of texts: those that it brings into the room, and those that no row names any more. */
export interface TextChange {
  /** `null`: too long for a record, made a durable file before it. Absent: none. */
  readonly texts?: readonly (readonly [sha256: string, text: string | null])[]
  /** Never one of `texts`. Absent: none. */
  readonly drops?: readonly string[]
}

/** What the files under `versions/` lack against the journal at one instant. */
export interface UnfiledTexts {
  /** To be made files, by sha256. */
  readonly texts: ReadonlyMap<string, string>
  /** To be removed. */
  readonly drops: readonly string[]
}

/**
 * What the journal says of texts beyond the files: recovery feeds it the records it replays, the writer those that it
 * appended, both in the order of `seq`. It never touches the disk.
 */
export interface JournalTexts {
  /** A text that is known to be in the journal only. */
  held(sha256: string): string | undefined
  /** Whether it was given up; its file may still be there. */
  isDropped(sha256: string): boolean
  apply(change: TextChange): void
  unfiled(): UnfiledTexts
  /** These have durable files now. */
  letGo(sha256s: Iterable<string>): void
  /** The file of this text was removed. */
  removed(sha256: string): void
}

export function createJournalTexts(): JournalTexts {
  const held = new Map<string, string>()
  const dropped = new Set<string>()
  return {
    held: (sha256) => held.get(sha256),
    isDropped: (sha256) => dropped.has(sha256),
    apply: ({ texts = [], drops = [] }) => {
      for (const [sha256, text] of texts) {
        dropped.delete(sha256)
        if (text !== null) held.set(sha256, text)
      }
      for (const sha256 of drops) {
        held.delete(sha256)
        dropped.add(sha256)
      }
    },
    unfiled: () => ({ texts: new Map(held), drops: [...dropped] }),
    letGo: (sha256s) => {
      for (const sha256 of sha256s) held.delete(sha256)
    },
    removed: (sha256) => {
      dropped.delete(sha256)
    },
  }
}
