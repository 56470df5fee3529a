import { addTo, isSatchelError, type Log } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Bodies } from './bodies.ts'
import { type Checkpoint, firstGeneration, removeDropped } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import { recordLost, storeDamaged } from './damage.ts'
import { databaseBodies } from './database-bodies.ts'
import type { RoomRows, StoredRoom } from './database-rows.ts'
import type { Journal } from './journal.ts'
import type { Medium } from './medium.ts'
import { type Kept, type Recovered, recoverKept } from './recovery.ts'
import type { RoomLock } from './room-lock.ts'

const RETRY_MS = 50

export interface DatabaseMediumSeams {
  readonly rows: RoomRows
  readonly lease: RoomLock
  readonly clock: Clock
  readonly log: Log
}

/**
 * The rows of a room, for its owner: a flush is one insert of what was appended, in the transaction that checks the fence,
 * and is durable with its commit. What is appended is in memory until then.
 */
export function databaseMedium({ rows, lease, clock, log }: DatabaseMediumSeams): Medium {
  const owner = lease.record.nonce
  const stored = new Map<string, Buffer>()
  let head = 0
  const owned = async (changed: Promise<boolean>): Promise<void> => {
    if (!(await changed)) throw refusals.ownership_lost()
  }
  /** Again while nothing is changed and the lease lasts: a server that starts again loses no room. */
  const persistently = async (change: () => Promise<boolean>): Promise<void> => {
    for (;;) {
      try {
        return await owned(change())
      } catch (thrown) {
        if (!isOfDatabase(thrown)) throw thrown
        if (isUnknown(thrown) || !lease.holds()) throw refusals.database_lost({ cause: thrown })
        await clock.pause(RETRY_MS)
      }
    }
  }
  const journalOf = (generation: number): Journal => {
    const waiting: Uint8Array[] = []
    let length = 0
    return {
      generation,
      length: () => length,
      append(record) {
        waiting.push(record)
        length += record.length
      },
      async flush() {
        const bytes = Buffer.concat(waiting.splice(0))
        if (bytes.length === 0) return
        await persistently(() => rows.append(owner, { head, journal: generation, bytes }))
        head += 1
      },
      close() {},
    }
  }
  const keep = async ({ generation, image, unfiled }: Checkpoint, bodies: Bodies): Promise<void> => {
    await bodies.file(unfiled.texts)
    bodies.letGo(unfiled.texts.keys())
    await owned(rows.keep(owner, { journal: generation, image }))
  }
  return {
    async recover(sql, content, codec) {
      const found = await rows.load()
      // Until here no other owner wrote: what was read in several statements is of one moment.
      if (!lease.holds()) throw refusals.ownership_lost()
      head = found.head
      for (const [sha256, bytes] of found.texts) stored.set(sha256, bytes)
      const recovered = recoverKept(keptOf(found), sql, { content, codec })
      // A row is there as it was written or not at all.
      if (recovered.torn)
        throw recordLost({ file: 'satchel.room_records', seq: recovered.ledger.meta.seq + 1 })
      return recovered
    },
    openBodies: (texts) =>
      databaseBodies(
        {
          put: (given) => owned(rows.putTexts(owner, given)),
          drop: (sha256) => owned(rows.dropText(owner, sha256)),
        },
        texts,
        stored,
      ),
    prepare: async () => {},
    async begin({ ledger, texts, journals }: Recovered, bodies) {
      const generation = Math.max(firstGeneration(lease.record.n), (journals.at(-1) ?? 0) + 1)
      const unfiled = texts.unfiled()
      await keep({ generation, image: ledger.export(generation), unfiled }, bodies)
      await removeDropped({ bodies, log, fence: () => {} }, unfiled.drops)
      return journalOf(generation)
    },
    reopen: ({ generation }) => journalOf(generation),
    create: async (generation) => journalOf(generation),
    keep,
  }
}

/** Of all refusals of the host's database this one leaves open whether anything was changed. */
function isUnknown(thrown: unknown): boolean {
  return isSatchelError(thrown) && thrown.reason === 'storage_unknown'
}

function isOfDatabase(thrown: unknown): boolean {
  return isSatchelError(thrown) && thrown.reason.startsWith('storage_')
}

/** Errors: `unavailable`/`store_damaged` when a flush is missing. */
function keptOf({ head, checkpoint, flushes }: StoredRoom): Kept {
  const first = flushes[0]?.flush ?? head + 1
  if (flushes.some(({ flush }, at) => flush !== first + at) || first + flushes.length !== head + 1) {
    throw storeDamaged('A part of the room’s journal is missing.', { file: 'satchel.room_records' })
  }
  const journals = new Map<number, Buffer[]>(checkpoint && [[checkpoint.journal, []]])
  for (const { journal, bytes } of flushes) addTo(journals, journal, bytes)
  return {
    image: checkpoint?.image,
    journals: [...journals.keys()].sort((a, b) => a - b),
    read: (generation) => Buffer.concat(journals.get(generation) ?? []),
  }
}
