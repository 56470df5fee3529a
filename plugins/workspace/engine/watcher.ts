import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Disk, FileFacts } from '../../../server/plugin.ts'
import type { Clock } from './clock.ts'
import { sameFile } from './markdown-file.ts'

const DEBOUNCE_MS = 100 // design workspace-engine 1 "External edits"
const POLL_MS = 2_000

/**
 * Calls `changed` soon after the file changed and has come to rest (its facts hold for two looks). It watches the
 * directory, because a watch on the file dies at the first rename over it, and polls, because watches can fail. It only
 * makes things prompt: every mutation looks by itself. Gives the stop.
 */
export function watchFile(disk: Disk, clock: Clock, path: string, changed: () => void): () => void {
  let told = disk.statSync(path)
  let resting: FileFacts | undefined
  let waiting = false
  let cancel = (): void => {}
  let stopped = false

  const settle = (): void => {
    const now = disk.statSync(path)
    if (!sameFile(now, resting)) {
      resting = now
      cancel = clock.after(DEBOUNCE_MS, settle)
      return
    }
    waiting = false
    if (sameFile(now, told)) return
    told = now
    changed()
  }
  const suspect = (): void => {
    if (waiting || stopped) return
    waiting = true
    resting = disk.statSync(path)
    cancel = clock.after(DEBOUNCE_MS, settle)
  }
  const poll = (): void => {
    if (stopped) return
    if (!sameFile(disk.statSync(path), told)) suspect()
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
