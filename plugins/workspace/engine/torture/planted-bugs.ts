import { basename, dirname, join } from 'node:path'
import { beginGeneration } from '../checkpoint.ts'
import type { Disk } from '../disk.ts'
import { type Journal, journalPath } from '../journal.ts'
import { encodeRecord, scanJournal } from '../journal-record.ts'
import type { Recovered } from '../recovery.ts'
import type { PlantedBug } from './stage.ts'

/** Mistakes a power cut must reveal: a run that does not find one of them proves nothing. */
export const POWER_CUT_BUGS: readonly PlantedBug[] = [
  { name: 'no fdatasync', disk: (disk) => ({ ...disk, flush: async () => {}, flushSync: () => {} }) },
  { name: 'no directory fsync', disk: (disk) => ({ ...disk, syncDirectory: async () => {} }) },
  { name: 'acknowledge before the flush', disk: lazyFlush },
  { name: 'publish before the flush', publishEarly: true },
  {
    name: 'rename before the fsync',
    disk: (disk) => ({ ...disk, create: (...file) => createUnflushed(disk, ...file) }),
  },
  { name: 'checkpoint unlinks first', disk: unlinkFirst },
  { name: 'torn tail kept', craft: { beginGeneration: continueOldJournal } },
  { name: 'no truncate after ENOSPC', disk: (disk) => ({ ...disk, truncate: () => {} }) },
  {
    name: 'no generation in the checksum',
    craft: {
      codec: {
        encode: (_generation, record) => encodeRecord(0, record),
        scan: (bytes, _generation, firstSeq) => scanJournal(bytes, 0, firstSeq),
      },
    },
  },
]

/** The flush is on its way when the answer goes out. */
function lazyFlush(disk: Disk): Disk {
  const later = async (file: number): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    await disk.flush(file)
  }
  return {
    ...disk,
    flush: async (file) => {
      void later(file)
    },
    flushSync: (file) => {
      void later(file)
    },
  }
}

async function createUnflushed(
  disk: Disk,
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  await disk.create(path, '', mode)
  const file = disk.open(path)
  disk.write(file, typeof content === 'string' ? Buffer.from(content) : content, 0)
  disk.close(file)
}

function unlinkFirst(disk: Disk): Disk {
  return {
    ...disk,
    rename: async (from, to) => {
      if (basename(to) === 'room.db') {
        const journals = (await disk.list(dirname(to))).filter((name) => name.startsWith('journal-')).sort()
        for (const name of journals.slice(0, -1)) await disk.unlink(join(dirname(to), name))
        await disk.syncDirectory(dirname(to))
      }
      await disk.rename(from, to)
    },
  }
}

/** Goes on behind the last good record, whatever else stands there. */
async function continueOldJournal(
  seams: Parameters<typeof beginGeneration>[0],
  recovered: Recovered,
): Promise<Journal> {
  const { torn } = recovered
  if (!torn || torn.generation !== recovered.journals.at(-1)) return beginGeneration(seams, recovered)
  const { disk } = seams
  const file = disk.open(journalPath(seams.sidecar, torn.generation))
  let end = torn.length
  return {
    generation: torn.generation,
    file,
    length: () => end,
    append: (record) => {
      disk.write(file, record, end)
      end += record.length
    },
    close: () => disk.close(file),
  }
}
