import { dirname } from 'node:path'
import type { NewVersion, Substrate } from '../domain/rows.ts'
import { sha256Of } from './bodies.ts'
import type { Clock } from './clock.ts'
import type { Disk, FileFacts } from './disk.ts'

export const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024 // design workspace 11
const NEW_FILE_MODE = 0o644
// A file changed this recently may change again without its time moving: file clocks tick in up to 10 ms.
const SETTLED_MS = 50

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
  /** Whether the file is as the last `look` found it, as far as one stat can tell; for right before a rename. */
  isAsSeen(): boolean
  /** Writes `version` to `temp`, flushed, with the mode of the file it will replace. */
  stage(temp: string, version: Pick<NewVersion, 'text' | 'hash'>): Promise<void>
  /** Renames `temp` over the file, durably. */
  replace(temp: string): Promise<void>
}

interface Known {
  readonly content: Buffer
  readonly hash: string
}

export function openMarkdownFile(disk: Disk, clock: Clock, path: string): MarkdownFile {
  let substrate: Substrate = 'missing'
  let seen: FileFacts | undefined
  let settled = false
  // Every commit reads the file before and after; comparing bytes costs a thirtieth of hashing them again.
  let known: Known | undefined
  let staged: (Known & { readonly temp: string }) | undefined

  const remember = (facts: FileFacts | undefined): void => {
    seen = facts
    settled = facts === undefined || clock.nowMs() - facts.modifiedMs > SETTLED_MS
  }
  const hashOf = (content: Buffer): string => {
    if (!known?.content.equals(content)) known = { content, hash: sha256Of(content) }
    return known.hash
  }
  const look = (): Seen => {
    // The facts are from before the reading: a write in between shows as moved at the next look.
    const facts = disk.stat(path)
    const found = facts ? contentOf(disk, path, facts, hashOf) : { kind: 'missing' as const }
    substrate = found.kind === 'text' ? 'ok' : found.kind
    remember(facts)
    return found
  }

  return {
    path,
    substrate: () => substrate,
    moved: () => {
      const facts = disk.stat(path)
      return !(settled && sameFile(facts, seen))
    },
    look,
    isAsSeen: () => sameFile(disk.stat(path), seen),
    stage: async (temp, { text, hash }) => {
      const found = disk.stat(path)
      staged = { temp, content: Buffer.from(text), hash }
      await disk.create(temp, staged.content, found?.kind === 'file' ? found.mode : NEW_FILE_MODE)
    },
    replace: async (temp) => {
      const facts = disk.stat(temp)
      await disk.rename(temp, path)
      substrate = 'ok'
      remember(facts)
      if (staged?.temp === temp) known = staged
      staged = undefined
      await disk.syncDirectory(dirname(path))
    },
  }
}

function sameFile(a: FileFacts | undefined, b: FileFacts | undefined): boolean {
  if (!a || !b) return a === b
  return a.kind === b.kind && a.inode === b.inode && a.size === b.size && a.modifiedMs === b.modifiedMs
}

function contentOf(disk: Disk, path: string, facts: FileFacts, hashOf: (content: Buffer) => string): Seen {
  if (facts.kind !== 'file' || facts.size > DOCUMENT_MAX_BYTES) return { kind: 'invalid' }
  let bytes: Buffer
  try {
    bytes = disk.read(path)
  } catch (thrown) {
    // Gone between the two calls; anything else (no permission, a bad sector) is not a text we can keep.
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? { kind: 'missing' } : { kind: 'invalid' }
  }
  const text = bytes.length <= DOCUMENT_MAX_BYTES ? decode(bytes) : undefined
  return text === undefined
    ? { kind: 'invalid' }
    : { kind: 'text', text, hash: hashOf(bytes), bytes: bytes.length }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
