import { dirname } from 'node:path'
import { bytesOfContent, type FileContent } from '../../../server/platform/disk.ts'
import type { Disk } from '../../../server/plugin.ts'
import type { DiskBug } from '../power-cuts.ts'

/** What a crash test must find in every store that writes files as `durable-file.ts` does. */
export const DISK_BUGS: readonly DiskBug[] = [
  { name: 'create without flush', disk: createUnflushed },
  { name: 'no directory flush', disk: keepNamesUnflushed },
  { name: 'rename before the flush', disk: renameUnflushed },
  { name: 'answer before the flush', disk: flushAfterAnswer },
]

/** New files are never flushed. */
export function createUnflushed(disk: Disk): Disk {
  const fill = (path: string, content: FileContent): void => {
    const file = disk.openSync(path)
    disk.writeSync(file, bytesOfContent(content), 0)
    disk.closeSync(file)
  }
  return {
    ...disk,
    create: async (path, content, mode) => {
      await disk.create(path, '', mode)
      fill(path, content)
    },
    createSync: (path, content, mode) => {
      disk.createSync(path, '', mode)
      fill(path, content)
    },
  }
}

/** Names are never flushed. */
export function keepNamesUnflushed(disk: Disk): Disk {
  return { ...disk, syncDirectory: async () => {}, syncDirectorySync: () => {} }
}

/** A new file is flushed only after it has its last name. */
function renameUnflushed(disk: Disk): Disk {
  const unflushed = createUnflushed(disk)
  const flushed = async (path: string): Promise<void> => {
    const file = disk.openSync(path)
    try {
      await disk.flush(file)
    } finally {
      disk.closeSync(file)
    }
  }
  return {
    ...unflushed,
    rename: async (from, to) => {
      await disk.rename(from, to)
      await disk.syncDirectory(dirname(to))
      await flushed(to)
    },
    link: async (from, to) => {
      await disk.link(from, to)
      await disk.syncDirectory(dirname(to))
      await flushed(to)
    },
  }
}

const LATER_TURNS = 10

/** The flush of an open file is on its way when the answer goes out. */
export function flushLater(disk: Disk): Disk {
  const later = (file: number): void => void inTurns(() => disk.flush(file))
  return { ...disk, flush: async (file) => later(file), flushSync: later }
}

/** As `flushLater`, for the files and names that a durable write flushes. */
function flushAfterAnswer(disk: Disk): Disk {
  return {
    ...createUnflushed(disk),
    syncDirectory: async (path) => void inTurns(() => disk.syncDirectory(path)),
  }
}

async function inTurns(work: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < LATER_TURNS; turn += 1) await Promise.resolve()
  await work()
}
