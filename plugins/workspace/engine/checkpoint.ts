import { join } from 'node:path'
import { type Disk, type Log, systemCode, writeFileDurably } from '../../../server/plugin.ts'
import type { Bodies } from './bodies.ts'
import { createJournal, type Journal, type JournalPlace, journalPath } from './journal.ts'
import type { UnfiledTexts } from './journal-texts.ts'
import { IMAGE_NAME, type Recovered, type TornTail } from './recovery.ts'

const FILE_MODE = 0o600
const TEMP_NAME = /^\.tmp-/

/** An image and the generation whose journal follows it. Always valid: records after it are in that journal. */
export interface Checkpoint {
  readonly generation: number
  readonly image: Uint8Array
  /** Of the same instant. */
  readonly unfiled: UnfiledTexts
}

interface CheckpointSeams extends JournalPlace {
  readonly bodies: Bodies
  readonly log: Log
  tempPath(): string
  /** Throws when a successor owns the room. */
  fence(): void
}

/**
 * Makes the texts of the journals files, then replaces `room.db` and removes the journals before it. An interruption at
 * any point leaves the old image with all its journals, or the new one with all its texts. Files of texts that were
 * given up stay, for `removeDropped`. Errors: the disk's; the same checkpoint may be written again.
 */
export async function writeCheckpoint(seams: CheckpointSeams, checkpoint: Checkpoint): Promise<void> {
  const { disk, sidecar, bodies } = seams
  const { texts } = checkpoint.unfiled
  await bodies.file(texts)
  bodies.letGo(texts.keys())
  await writeFileDurably(join(sidecar, IMAGE_NAME), checkpoint.image, {
    disk,
    mode: FILE_MODE,
    temp: seams.tempPath(),
    // A successor removes temporary files before it reads: after the fence either the rename fails or it comes first.
    beforeCommit: seams.fence,
  })
  await removeOlderJournals(disk, sidecar, checkpoint.generation)
}

/**
 * Removes the files of texts that a checkpoint no longer needs; one that was taken up again meanwhile stays. Only inside
 * the queue and after `writeCheckpoint`: until the new image is on the
 * disk, it is unknown whether records that a recovery read are. What cannot be removed waits for the next checkpoint.
 */
export async function removeDropped(
  { bodies, fence, log }: Pick<CheckpointSeams, 'bodies' | 'fence' | 'log'>,
  drops: readonly string[],
): Promise<void> {
  try {
    for (const sha256 of drops) {
      fence()
      await bodies.remove(sha256)
    }
  } catch (thrown) {
    log.warn('A pruned text could not be removed yet', { error: String(thrown) })
  }
}

export interface GenerationStart {
  /** The number of this owner's lock. */
  readonly owner: number
}

const GENERATIONS_PER_OWNER = 1_000_000

/**
 * Every owner counts in a range of its own: an owner that was buried alive can never touch the name of a successor's
 * journal, at any point at which it was stopped.
 */
export function firstGeneration(owner: number): number {
  return owner * GENERATIONS_PER_OWNER + 1
}

/**
 * Begins a generation of its own for what was recovered: the torn tail is kept aside, then everything is written
 * again, because a failed flush may have left parts of it in the page cache only. Gives the journal to append to.
 */
export async function beginGeneration(
  seams: CheckpointSeams & GenerationStart,
  recovered: Recovered,
): Promise<Journal> {
  const { disk, sidecar } = seams
  if (recovered.torn) await setAside(disk, sidecar, recovered.torn)
  if (recovered.created) await removeOlderJournals(disk, sidecar, Number.POSITIVE_INFINITY)
  const generation = Math.max(firstGeneration(seams.owner), (recovered.journals.at(-1) ?? 0) + 1)
  const journal = await createJournal(seams, generation)
  const unfiled = recovered.texts.unfiled()
  await writeCheckpoint(seams, { generation, image: recovered.ledger.export(generation), unfiled })
  await removeDropped(seams, unfiled.drops)
  return journal
}

async function setAside(disk: Disk, sidecar: string, torn: TornTail): Promise<void> {
  const path = journalPath(sidecar, torn.generation)
  const aside = join(sidecar, `journal-${torn.generation}.torn`)
  if (disk.statSync(aside)) await disk.unlink(aside)
  await disk.create(aside, disk.readFileSync(path).subarray(torn.length, torn.length + torn.bytes), FILE_MODE)
  const file = disk.openSync(path)
  try {
    disk.truncateSync(file, torn.length)
    disk.flushSync(file)
  } finally {
    disk.closeSync(file)
  }
}

async function removeOlderJournals(disk: Disk, sidecar: string, generation: number): Promise<void> {
  for (const name of await disk.list(sidecar)) {
    const found = /^journal-(\d{1,15})\.log$/.exec(name)?.[1]
    if (found !== undefined && Number(found) < generation) await disk.unlink(join(sidecar, name))
  }
}

/** Removes what a dead process left half made. Only for the owner. */
export async function removeTemporaryFiles(disk: Disk, sidecar: string): Promise<void> {
  for (const name of await disk.list(sidecar)) {
    if (TEMP_NAME.test(name)) await removeIfThere(disk, join(sidecar, name))
  }
}

/** A contender for the lock removes its own at the same time. */
async function removeIfThere(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path)
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw thrown
  }
}
