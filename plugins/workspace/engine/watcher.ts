import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Disk, FileFacts } from '../../../server/plugin.ts'
import type { Clock } from './clock.ts'
import { sameFile } from './markdown-file.ts'

const DEBOUNCE_MS = 100 // design workspace-engine 1 "External edits"
const POLL_MS = 2_000

/** For how many looks the facts of a file must hold before it counts as written; a look is `DEBOUNCE_MS` long. */
const LOOKS = {
  whole: 1,
  /** It was truncated to nothing: the program that did so is about to write. */
  emptied: 20,
  /** It is written in pieces. */
  pieces: 12,
  /** In all, so that a file which never rests is looked at too. */
  most: 100,
} as const

/**
 * Calls `changed` soon after the file changed and has come to rest (its facts hold for two looks, or longer while it may
 * be half written). It watches the directory, because a watch on the file dies at the first rename over it, and polls,
 * because watches can fail. After a call that rejects it calls again at the next poll. It only makes things prompt: every
 * mutation looks by itself. Gives the stop.
 */
export function watchFile(disk: Disk, clock: Clock, path: string, changed: () => Promise<void>): () => void {
  let told = disk.statSync(path)
  let isOwed = false
  let change: Change | undefined
  let cancel = (): void => {}
  let stopped = false

  const settle = (before: Change): void => {
    const now = disk.statSync(path)
    change = continued(before, now)
    if (change.held < looksFor(change, told) && change.looks < LOOKS.most) {
      lookLater(change)
      return
    }
    change = undefined
    if (sameFile(now, told) && !isOwed) return
    told = now
    isOwed = false
    changed().catch(() => {
      isOwed = true
    })
  }
  const lookLater = (before: Change): void => {
    cancel = clock.after(DEBOUNCE_MS, () => settle(before))
  }
  const suspect = (): void => {
    if (change || stopped) return
    change = { file: disk.statSync(path), held: 0, looks: 0, inPieces: false }
    lookLater(change)
  }
  const poll = (): void => {
    if (stopped) return
    if (isOwed || !sameFile(disk.statSync(path), told)) suspect()
    cancelPoll = clock.after(POLL_MS, poll)
  }
  let cancelPoll = clock.after(POLL_MS, poll)
  const closeWatch = watchDirectory(path, suspect)
  return () => {
    stopped = true
    closeWatch()
    cancel()
    cancelPoll()
  }
}

/** A change of the file, as far as the looks at it tell. */
interface Change {
  /** As the last look found it. */
  readonly file: FileFacts | undefined
  /** Looks since it last changed. */
  readonly held: number
  readonly looks: number
  /** It grew after it already had content. */
  readonly inPieces: boolean
}

function continued({ file, held, looks, inPieces }: Change, now: FileFacts | undefined): Change {
  const grew = sizeInPlace(now, file) === 'longer' && file?.size !== 0
  return {
    file: now,
    held: sameFile(now, file) ? held + 1 : 0,
    looks: looks + 1,
    inPieces: inPieces || grew,
  }
}

function looksFor({ file, inPieces }: Change, told: FileFacts | undefined): number {
  if (file?.size === 0 && told && told.size > 0) return LOOKS.emptied
  // A file that was replaced is whole; one that became shorter in its place may be its first piece.
  return inPieces || sizeInPlace(file, told) === 'shorter' ? LOOKS.pieces : LOOKS.whole
}

/** How the size of one file changed; undefined for two files. */
function sizeInPlace(
  now: FileFacts | undefined,
  before: FileFacts | undefined,
): 'shorter' | 'longer' | 'same' | undefined {
  if (!now || !before || now.inode !== before.inode) return undefined
  if (now.size === before.size) return 'same'
  return now.size < before.size ? 'shorter' : 'longer'
}

function watchDirectory(path: string, touched: () => void): () => void {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) touched()
    })
    // No more watches left, or the directory went away: the poll goes on.
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    return () => {}
  }
}
