import { dirname } from 'node:path'
import { allWritten, type Disk, decodeUtf8, type FileFacts } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import type { NewVersion, Substrate } from '../domain/rows.ts'
import { type StoredText, sha256Of } from './bodies.ts'
import type { Clock } from './clock.ts'

const NEW_FILE_MODE = 0o644
// A file changed this recently may change again without its time moving: file clocks tick in up to 10 ms.
const SETTLED_MS = 50
// A program that truncates a file to rewrite it writes within this time; otherwise the file is meant to be empty.
const EMPTIED_MS = 2_000
const EMPTIED_PAUSE_MS = 50
const PART = Buffer.allocUnsafe(64 * 1024)

/** What a look at the file found. */
export type Seen =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string; readonly bytes: number }
  | { readonly kind: 'missing' }
  /** A directory, a link, not UTF-8, above 4 MiB, or unreadable. */
  | { readonly kind: 'invalid' }

/** The user's own file. Everything else may write it at any moment. */
export interface MarkdownFile {
  readonly path: string
  substrate(): Substrate
  /** False only when nothing changed since the last `look`; costs one stat. */
  moved(): boolean
  look(): Seen
  /** Makes the file count as moved until the next `look`: what the last one found could not be kept. */
  forget(): void
  /**
   * Looks again at a file that the last `look` found empty, until it has content or was empty for 2 s: the program that
   * truncated it is about to write.
   */
  lookPastTruncation(): Promise<Seen>
  /** Whether the file is as the last `look` found it, as far as one stat can tell; for right before a rename. */
  isAsSeen(): boolean
  /**
   * Makes the present file and its name durable: the program that saved it may not have flushed it. One that cannot be
   * opened for writing is left as it is. Errors: the disk's, when a flush fails.
   */
  settle(): Promise<void>
  /** Writes `version` to `temp`, flushed, with the mode of the file it will replace. */
  stage(temp: string, version: FileText): Promise<void>
  /** Renames `temp` over the file, durably. */
  replace(temp: string): Promise<void>
}

/** What the file holds, or is to hold. */
export type FileText = StoredText & Pick<NewVersion, 'hash'>

export function openMarkdownFile(disk: Disk, clock: Clock, path: string): MarkdownFile {
  let substrate: Substrate = 'missing'
  let seen: FileFacts | undefined
  let settled = false
  // Every commit reads the file before and after; comparing bytes costs a thirtieth of decoding and hashing them again.
  let known: FileText | undefined
  let staged: { readonly temp: string; readonly version: FileText } | undefined

  const remember = (facts: FileFacts | undefined): void => {
    seen = facts
    settled = facts === undefined || clock.nowMs() - facts.modifiedMs > SETTLED_MS
  }
  const know = (content: Buffer): FileText | undefined => {
    if (content.length > LIMITS.documentBytes) return undefined
    const text = decodeUtf8(content)
    if (text === undefined) return undefined
    known = { content, text, hash: sha256Of(content) }
    return known
  }
  const contentOf = (facts: FileFacts): Seen => {
    if (facts.kind !== 'file' || facts.size > LIMITS.documentBytes) return { kind: 'invalid' }
    try {
      // What is longer by now shows as moved at the next look.
      const isKnown = known?.content.length === facts.size && holds(disk, path, known.content)
      return seenText(isKnown ? known : know(disk.readFileSync(path)))
    } catch (thrown) {
      // Removed between the two calls; anything else (no permission, a bad sector) is not a text we can keep.
      return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? { kind: 'missing' } : { kind: 'invalid' }
    }
  }
  const look = (): Seen => {
    // The facts are from before the reading: a write in between shows as moved at the next look.
    const facts = disk.statSync(path)
    const found = facts ? contentOf(facts) : { kind: 'missing' as const }
    substrate = found.kind === 'text' ? 'ok' : found.kind
    remember(facts)
    return found
  }

  const isJustEmptied = (found: Seen): boolean => {
    if (found.kind !== 'text' || found.bytes > 0 || !seen) return false
    // With a size it was truncated between the two calls of the look.
    return seen.size > 0 || clock.nowMs() - seen.modifiedMs < EMPTIED_MS
  }

  return {
    path,
    substrate: () => substrate,
    moved: () => {
      const facts = disk.statSync(path)
      return !(settled && sameFile(facts, seen))
    },
    look,
    forget: () => {
      settled = false
    },
    async lookPastTruncation() {
      let found = look()
      // Counted, because the clock of the file may be ahead.
      for (let looks = 0; isJustEmptied(found) && looks < EMPTIED_MS / EMPTIED_PAUSE_MS; looks += 1) {
        await clock.pause(EMPTIED_PAUSE_MS)
        found = look()
      }
      return found
    },
    isAsSeen: () => sameFile(disk.statSync(path), seen),
    settle: () => allWritten([flushContent(disk, path), disk.syncDirectory(dirname(path))]),
    stage: async (temp, version) => {
      const found = disk.statSync(path)
      staged = { temp, version }
      await disk.create(temp, version.content, found?.kind === 'file' ? found.mode : NEW_FILE_MODE)
    },
    replace: async (temp) => {
      const facts = disk.statSync(temp)
      await disk.rename(temp, path)
      substrate = 'ok'
      remember(facts)
      if (staged?.temp === temp) known = staged.version
      staged = undefined
      await disk.syncDirectory(dirname(path))
    },
  }
}

function seenText(found: FileText | undefined): Seen {
  if (!found) return { kind: 'invalid' }
  const { text, hash, content } = found
  return { kind: 'text', text, hash, bytes: content.length }
}

async function flushContent(disk: Disk, path: string): Promise<void> {
  let file: number
  try {
    file = disk.openSync(path)
  } catch {
    // Removed again, or not ours to write.
    return
  }
  try {
    await disk.flush(file)
  } finally {
    disk.closeSync(file)
  }
}

/** False when the file may have another content, or when what may be done with it changed. */
export function sameFile(a: FileFacts | undefined, b: FileFacts | undefined): boolean {
  if (!a || !b) return a === b
  // A file that became readable again has the size and the time that it had before.
  const asFile = a.kind === b.kind && a.inode === b.inode && a.mode === b.mode
  return asFile && a.size === b.size && a.modifiedMs === b.modifiedMs
}

/** Whether the file holds these bytes; read in parts, so that none of it is kept. Errors: the disk's. */
function holds(disk: Disk, path: string, content: Buffer): boolean {
  const file = disk.openToReadSync(path)
  try {
    for (let at = 0; at < content.length; at += PART.length) {
      const part = content.subarray(at, at + PART.length)
      const read = disk.readSync(file, PART.subarray(0, part.length), at)
      if (read < part.length || PART.compare(part, 0, part.length, 0, read) !== 0) return false
    }
    return true
  } finally {
    disk.closeSync(file)
  }
}
