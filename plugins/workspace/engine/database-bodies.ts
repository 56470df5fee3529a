import type { Bodies } from './bodies.ts'
import { readText } from './bodies.ts'
import type { JournalTexts } from './journal-texts.ts'

/** The rows of texts as their owner changes them. Errors: the database's; `ownership_lost`. */
export interface TextRows {
  put(texts: readonly (readonly [sha256: string, text: string])[]): Promise<void>
  drop(sha256: string): Promise<void>
}

/** Texts that one statement sends at most, so that a checkpoint needs few and none is huge. */
const BATCH_CHARS = 4 * 1024 * 1024

/**
 * Texts of a room whose rows are in a database: all of them are in memory, because a transaction reads them without waiting.
 * `stored`: those that have a row.
 */
export function databaseBodies(rows: TextRows, texts: JournalTexts, stored: Map<string, Buffer>): Bodies {
  const remove = async (sha256: string): Promise<void> => {
    if (!texts.isDropped(sha256)) return
    if (stored.has(sha256)) await rows.drop(sha256)
    stored.delete(sha256)
    texts.removed(sha256)
  }
  const put = async (given: readonly (readonly [string, string])[]): Promise<void> => {
    await rows.put(given)
    for (const [sha256, text] of given) stored.set(sha256, Buffer.from(text))
  }
  return {
    read(sha256) {
      const held = texts.held(sha256)
      if (held !== undefined) return held
      const bytes = texts.isDropped(sha256) ? undefined : stored.get(sha256)
      return bytes && readText(bytes, sha256)
    },
    has: (sha256) => texts.held(sha256) !== undefined || (!texts.isDropped(sha256) && stored.has(sha256)),
    follow: texts.apply,
    unfiled: texts.unfiled,
    async file(wanted) {
      for (const batch of batches([...wanted].filter(([sha256]) => !stored.has(sha256)))) await put(batch)
    },
    letGo: texts.letGo,
    repair: (sha256, text) => put([[sha256, text]]),
    remove,
    async discard(sha256) {
      // Given up by an earlier record, which may not be durable yet: the next checkpoint removes it.
      if (texts.isDropped(sha256)) return
      texts.apply({ drops: [sha256] })
      await remove(sha256)
    },
  }
}

function* batches(texts: readonly (readonly [string, string])[]) {
  let batch: (readonly [string, string])[] = []
  let chars = 0
  for (const each of texts) {
    if (batch.length > 0 && chars + each[1].length > BATCH_CHARS) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(each)
    chars += each[1].length
  }
  if (batch.length > 0) yield batch
}
