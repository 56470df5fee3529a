import type { Disk } from '../../../server/plugin.ts'
import type { Clock } from './clock.ts'

const QUICK_MS = 1 // design workspace-engine 1, step 5
const SMALL_BYTES = 1024 * 1024 // written to the page cache in well under a millisecond

/**
 * The same disk for callers that the room waits for. While flushes take less than a millisecond it flushes
 * synchronously: the turn through the thread pool would double the cost.
 */
export function pacedDisk(disk: Disk, clock: Clock): Disk {
  let lastMs = Number.POSITIVE_INFINITY
  const paced = async (inPlace: () => void, aside: () => Promise<void>): Promise<void> => {
    const started = clock.elapsedMs()
    if (lastMs < QUICK_MS) inPlace()
    else await aside()
    lastMs = clock.elapsedMs() - started
  }
  return {
    ...disk,
    flush: (file) =>
      paced(
        () => disk.flushSync(file),
        () => disk.flush(file),
      ),
    create: (path, content, mode) =>
      Array.isArray(content) || content.length > SMALL_BYTES
        ? disk.create(path, content, mode)
        : paced(
            () => disk.createSync(path, content, mode),
            () => disk.create(path, content, mode),
          ),
    syncDirectory: (path) =>
      paced(
        () => disk.syncDirectorySync(path),
        () => disk.syncDirectory(path),
      ),
  }
}
