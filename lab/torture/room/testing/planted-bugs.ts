import { basename, dirname, join } from 'node:path'
import {
  type Bodies,
  type BodiesSeams,
  openBodies,
  VERSIONS_DIRECTORY,
} from '../../../../plugins/workspace/engine/bodies.ts'
import { beginGeneration } from '../../../../plugins/workspace/engine/checkpoint.ts'
import { type Journal, journalPath } from '../../../../plugins/workspace/engine/journal.ts'
import {
  encodeRecord,
  type JournalRecord,
  journalCodec,
  scanJournal,
} from '../../../../plugins/workspace/engine/journal-record.ts'
import type { Recovered } from '../../../../plugins/workspace/engine/recovery.ts'
import type { Disk } from '../../../../server/plugin.ts'
import { createUnflushed, flushLater, keepNamesUnflushed } from '../../testing/disk-bugs.ts'
import type { PlantedBug } from '../stage.ts'

/** In how many points, or races, a planted bug must be found. design workspace-engine 6 */
export const BUG_POINTS = 2_000

/** Mistakes in the use of the disk that a power cut must reveal: a run that does not find one of them proves nothing. */
export const ROOM_DISK_BUGS: readonly PlantedBug[] = [
  { name: 'no fdatasync', disk: (disk) => ({ ...disk, flush: async () => {}, flushSync: () => {} }) },
  { name: 'no directory fsync', disk: keepNamesUnflushed },
  { name: 'acknowledge before the flush', disk: flushLater },
  { name: 'publish before the flush', publishEarly: true },
  { name: 'rename before the fsync', disk: createUnflushed },
  { name: 'checkpoint unlinks first', disk: unlinkFirst },
  { name: 'no truncate after ENOSPC', disk: (disk) => ({ ...disk, truncateSync: () => {} }) },
  { name: 'names of stored texts not flushed', disk: forgetNames },
]

/** Mistakes in what the engine writes, and when, that a power cut must reveal. */
export const ENGINE_BUGS: readonly PlantedBug[] = [
  { name: 'torn tail kept', craft: { beginGeneration: continueOldJournal } },
  {
    name: 'no generation in the checksum',
    craft: {
      codec: {
        encode: (_generation, record) => encodeRecord(0, record),
        scan: (bytes, _generation, firstSeq) => scanJournal(bytes, 0, firstSeq),
      },
    },
  },
  { name: 'text left out of its record', craft: { codec: { ...journalCodec, encode: encodeWithoutTexts } } },
  { name: 'text forgotten before its file is durable', craft: { openBodies: forgetFirst } },
  { name: 'old journal removed before its texts are files', craft: { openBodies: fileLater } },
  { name: 'dropped text removed before the record is flushed', craft: { openBodies: removeAtOnce } },
  {
    name: 'dropped text taken up again without a word',
    craft: { codec: { ...journalCodec, encode: encodeWithoutReturns } },
  },
]

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

/** Appends behind the last good record, even where other bytes follow it. */
async function continueOldJournal(
  seams: Parameters<typeof beginGeneration>[0],
  recovered: Recovered,
): Promise<Journal> {
  const { torn } = recovered
  if (!torn || torn.generation !== recovered.journals.at(-1)) return beginGeneration(seams, recovered)
  const { disk } = seams
  const file = disk.openSync(journalPath(seams.sidecar, torn.generation))
  let end = torn.length
  return {
    generation: torn.generation,
    length: () => end,
    append: (record) => {
      disk.writeSync(file, record, end)
      end += record.length
    },
    flush: () => disk.flush(file),
    close: () => disk.closeSync(file),
  }
}

function encodeWithoutTexts(generation: number, record: JournalRecord): Buffer {
  return encodeRecord(generation, { ...record, texts: [] })
}

/** Does not record texts that are in files: a recovery goes on taking them for given up. */
function encodeWithoutReturns(generation: number, record: JournalRecord): Buffer {
  const texts = (record.texts ?? []).filter(([, text]) => text !== null)
  return encodeRecord(generation, { ...record, texts })
}

function forgetFirst(seams: BodiesSeams): Bodies {
  const bodies = openBodies(seams)
  return {
    ...bodies,
    file: async (texts) => {
      const all = [...texts]
      bodies.letGo(all.map(([sha256]) => sha256))
      await bodies.file(all)
    },
  }
}

/** The files are on their way when the image is replaced and the old journal goes. */
function fileLater(seams: BodiesSeams): Bodies {
  const bodies = openBodies(seams)
  const later = async (texts: readonly (readonly [string, string])[]): Promise<void> => {
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
    await bodies.file(texts)
    bodies.letGo(texts.map(([sha256]) => sha256))
  }
  return {
    ...bodies,
    file: async (texts) => {
      void later([...texts]).catch(() => {})
    },
    letGo: () => {},
  }
}

function forgetNames(disk: Disk): Disk {
  return {
    ...disk,
    syncDirectory: async (path) => {
      if (basename(path) !== VERSIONS_DIRECTORY) await disk.syncDirectory(path)
    },
  }
}

function removeAtOnce(seams: BodiesSeams): Bodies {
  const bodies = openBodies(seams)
  return {
    ...bodies,
    follow: (change) => {
      bodies.follow(change)
      for (const sha256 of change.drops ?? []) void bodies.remove(sha256).catch(() => {})
    },
  }
}
