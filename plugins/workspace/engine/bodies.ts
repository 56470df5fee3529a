import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { allWritten, type Disk, replaceFile } from '../../../server/plugin.ts'
import { storeDamaged } from './damage.ts'
import type { JournalTexts, TextChange, UnfiledTexts } from './journal-texts.ts'
import type { Ledger } from './ledger.ts'

/**
 * Texts by their sha256, outside the database so that a checkpoint stays small. A text travels in the record that names
 * it and is *held* in memory until a checkpoint made it a file under `versions/`; one too long for a record becomes a
 * file before it.
 *
 * What always holds: every text that a durable row names is held, or has a durable file that was not given up. Every file
 * of a text that is neither held nor given up is durable, with its name: so its text need not be written again.
 */
export interface Bodies {
  /** Undefined when there is none. Errors: `unavailable`/`store_damaged` when the file is not what its name says. */
  read(sha256: string): string | undefined
  /** Whether a record may name it without bringing it. */
  has(sha256: string): boolean
  /** To be told of each record right after it was appended; a refused one leaves nothing here. */
  follow(change: TextChange): void
  /** What the files lack at this instant, for an image taken at the same. */
  unfiled(): UnfiledTexts
  /**
   * Makes these texts files that are durable when it resolves, where they are not there yet. Errors: the disk's, the
   * fence's; then any of the files may be there.
   */
  file(texts: Iterable<readonly [sha256: string, text: string]>): Promise<void>
  /** Ends the holding of texts whose files are durable. */
  letGo(sha256s: Iterable<string>): void
  /** Replaces a file that is missing or damaged. Durable when resolved. */
  repair(sha256: string, text: string): Promise<void>
  /**
   * Removes the file of a text that is still given up. Only inside the queue, where none takes it up again, and only
   * when the record that gave it up is durable. Errors: the disk's; it stays given up.
   */
  remove(sha256: string): Promise<void>
  /** Removes a file that no record ever named. Errors: the disk's; it counts as given up then. */
  discard(sha256: string): Promise<void>
}

/** A text with its UTF-8, which its hash, its record and its file need: it is converted once. */
export interface StoredText {
  readonly text: string
  readonly content: Buffer
}

export function storedText(text: string): StoredText {
  return { text, content: Buffer.from(text) }
}

export interface BodiesSeams {
  readonly disk: Disk
  readonly sidecar: string
  readonly texts: JournalTexts
  tempPath(): string
  /** Throws when a successor owns the room. */
  fence(): void
}

export const VERSIONS_DIRECTORY = 'versions'
const FILE_MODE = 0o600
const WRITERS = 4 // the threads that Node has for waiting; more would only queue behind them

export function openBodies({ disk, sidecar, texts, tempPath, fence }: BodiesSeams): Bodies {
  const directory = join(sidecar, VERSIONS_DIRECTORY)
  const pathOf = (sha256: string): string => join(directory, sha256)
  const isFiled = (sha256: string): boolean => {
    try {
      return disk.statSync(pathOf(sha256)) !== undefined
    } catch {
      // A folder that cannot be looked into: then the record brings the text again.
      return false
    }
  }
  const create = async (sha256: string, text: string): Promise<void> => {
    // A successor removes temporary files before it flushes the names here: after the fence either the rename fails or
    // it comes first.
    await replaceFile(pathOf(sha256), text, { disk, mode: FILE_MODE, temp: tempPath(), beforeCommit: fence })
  }
  const createAll = async (waiting: (readonly [string, string])[]): Promise<void> => {
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) await create(...next)
    } catch (thrown) {
      waiting.length = 0
      throw thrown
    }
  }
  const remove = async (sha256: string): Promise<void> => {
    if (!texts.isDropped(sha256)) return
    if (disk.statSync(pathOf(sha256))) await disk.unlink(pathOf(sha256))
    texts.removed(sha256)
  }
  return {
    read: (sha256) => {
      const held = texts.held(sha256)
      if (held !== undefined) return held
      return texts.isDropped(sha256) ? undefined : readFiled(disk, pathOf(sha256), sha256)
    },
    has: (sha256) => texts.held(sha256) !== undefined || (!texts.isDropped(sha256) && isFiled(sha256)),
    follow: texts.apply,
    unfiled: texts.unfiled,
    file: async (wanted) => {
      const all = [...wanted]
      if (all.length === 0) return
      // A file that has this name was flushed before it got the name.
      const missing = all.filter(([sha256]) => !disk.statSync(pathOf(sha256)))
      await allWritten(Array.from({ length: Math.min(WRITERS, missing.length) }, () => createAll(missing)))
      // Also for one that was there: its name may date from an attempt that failed before this step.
      await disk.syncDirectory(directory)
    },
    letGo: texts.letGo,
    repair: async (sha256, text) => {
      await create(sha256, text)
      await disk.syncDirectory(directory)
    },
    remove,
    discard: async (sha256) => {
      // Given up by an earlier record, which may not be durable yet: the next checkpoint removes it.
      if (texts.isDropped(sha256)) return
      texts.apply({ drops: [sha256] })
      await remove(sha256)
    },
  }
}

function readFiled(disk: Disk, path: string, sha256: string): string | undefined {
  return disk.statSync(path) ? readText(disk.readFileSync(path), sha256) : undefined
}

/** Errors: `unavailable`/`store_damaged` when the bytes are not what their name says. */
export function readText(bytes: Buffer, sha256: string): string {
  if (sha256Of(bytes) !== sha256)
    throw storeDamaged('A stored text is damaged.', { file: `${VERSIONS_DIRECTORY}/${sha256}` })
  return bytes.toString('utf8')
}

/**
 * Gives the newest version's text, read again only when the version changed.
 * Errors: `unavailable`/`store_damaged` when it is missing.
 */
export function newestTextOf(ledger: Ledger, bodies: Bodies): () => string {
  let cached: { hash: string; text: string } | undefined
  return () => {
    const { hash, version } = ledger.meta
    if (cached?.hash === hash) return cached.text
    const text = version === 0 ? '' : bodies.read(hash)
    if (text === undefined) throw storeDamaged('The newest text is missing.', { file: `versions/${hash}` })
    cached = { hash, text }
    return text
  }
}

/** Lower-case hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
