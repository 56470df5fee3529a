import { join } from 'node:path'
import { type Disk, type Log, removeQuietly } from '../../../server/plugin.ts'
import { openBodies, VERSIONS_DIRECTORY } from './bodies.ts'
import { beginGeneration, writeCheckpoint } from './checkpoint.ts'
import { createJournal, type Journal, type JournalPlace, journalPath, openEmptyJournal } from './journal.ts'
import type { Medium } from './medium.ts'
import { recover } from './recovery.ts'

export interface FileMediumSeams extends JournalPlace {
  readonly log: Log
  /** The number of this owner's lock. */
  readonly owner: number
  tempPath(): string
  /** Throws when a successor owns the room. */
  fence(): void
}

/** What a torture run replaces by something broken, to see that it notices. */
export interface FileCraft {
  readonly beginGeneration?: typeof beginGeneration
  readonly openBodies?: typeof openBodies
}

/** The sidecar: the checkpoint, each journal and each text is a file. */
export function fileMedium(seams: FileMediumSeams, craft: FileCraft = {}): Medium {
  const { disk, sidecar } = seams
  return {
    recover: (sql, content, codec) => recover(disk, sidecar, sql, content, codec),
    openBodies: (texts) => (craft.openBodies ?? openBodies)({ ...seams, texts }),
    prepare: () => settleVersionsDirectory(disk, sidecar),
    begin: (recovered, bodies) => (craft.beginGeneration ?? beginGeneration)({ ...seams, bodies }, recovered),
    reopen: ({ generation }) => openEmptyJournal(seams, generation),
    create: (generation) => createAfresh(seams, generation),
    keep: (checkpoint, bodies) => writeCheckpoint({ ...seams, bodies }, checkpoint),
  }
}

/** Also after a clean stop: a name in there may be from a process that died right after its rename. */
async function settleVersionsDirectory(disk: Disk, sidecar: string): Promise<void> {
  const path = join(sidecar, VERSIONS_DIRECTORY)
  if (disk.statSync(path)) return disk.syncDirectory(path)
  await disk.mkdir(path, 0o700)
  await disk.syncDirectory(sidecar)
}

async function createAfresh(place: JournalPlace, generation: number): Promise<Journal> {
  const { disk, sidecar } = place
  const path = journalPath(sidecar, generation)
  try {
    // An earlier attempt got this far and no further; nothing was ever appended to it.
    if (disk.statSync(path)) await disk.unlink(path)
    return await createJournal(place, generation)
  } catch (thrown) {
    await removeQuietly(disk, path)
    throw thrown
  }
}
