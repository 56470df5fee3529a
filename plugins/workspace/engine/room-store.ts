import { basename, join } from 'node:path'
import type { Disk, Log, SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { type Bodies, newestTextOf } from './bodies.ts'
import { mutation, needsLook, reading } from './calls.ts'
import { removeTemporaryFiles } from './checkpoint.ts'
import type { Clock, Random } from './clock.ts'
import { storeDamaged } from './damage.ts'
import { bootstrap, lookAtCopy, lookAtFile } from './document-commit.ts'
import { type FileCraft, fileMedium } from './file-medium.ts'
import { type FileOrigin, openFileOrigin } from './file-version.ts'
import { createFlusher, type Flusher } from './flusher.ts'
import { createGenerations, JOURNAL_LIMITS, type JournalLimits } from './generations.ts'
import type { Journal } from './journal.ts'
import { type Codec, journalCodec } from './journal-record.ts'
import type { Ledger } from './ledger.ts'
import { createLife, type Life } from './life.ts'
import { type MarkdownFile, openMarkdownFile, type Seen } from './markdown-file.ts'
import type { Medium } from './medium.ts'
import type { Meter } from './meter.ts'
import { pacedDisk } from './paced-disk.ts'
import { createQueue, inQueue, type Queue } from './queue.ts'
import type { Recovered } from './recovery.ts'
import type { Sql } from './sql.ts'
import type { Found, Store, StoreContent } from './store.ts'
import { openRows } from './transaction.ts'
import type { StoreState } from './writer.ts'

export interface StoreOptions {
  /** The sidecar directory; it exists and this process owns the room. */
  readonly sidecar: string
  /** Absent: the files of the sidecar. */
  readonly medium?: Medium
  /** The real path of the markdown file. */
  readonly file: string
  readonly content: StoreContent
  readonly sql: Sql
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The number of this owner's lock: higher than that of every owner before. */
  readonly owner: number
  /** Whether this process still owns the room; asked before every acknowledgement. */
  holdsLock(): boolean
  readonly limits?: JournalLimits
  /** Counts what the store does. */
  readonly meter?: Meter
  readonly craft?: Craft
}

/** What a torture run replaces by something broken, to see that it notices. */
export interface Craft extends FileCraft {
  readonly codec?: Codec
}

/**
 * Recovers the room and opens it for writing. Before it resolves, everything recovered is in a generation of its
 * own, the first version is made, and the file and the newest version agree.
 * Errors: `unavailable`/`store_damaged` (nothing written), `invalid`/`unsupported_version`, `not_found`/
 * `document_not_found`, `conflict`/`substrate_invalid`, `unavailable`/`store_unavailable`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { disk, clock, sidecar } = options
  let made = 0
  // Unlike those of every process that ever worked here.
  const name = options.random(8)
  const tempPath = (): string => join(sidecar, `.tmp-${name}-${++made}`)
  const fence = (): void => {
    if (!options.holdsLock()) throw lockLost(options)
  }
  const paced = pacedDisk(disk, clock)
  const markdown = openMarkdownFile(paced, clock, options.file)

  const limits = options.limits ?? JOURNAL_LIMITS
  const codec = options.craft?.codec ?? journalCodec
  const { preallocateBytes } = limits
  const medium =
    options.medium ?? fileMedium({ ...options, paced, preallocateBytes, tempPath, fence }, options.craft)
  const recovered = await medium.recover(options.sql, options.content, codec)
  const { ledger, texts } = recovered
  try {
    const bodies = medium.openBodies(texts)
    const repair = newestBodyRepair(ledger, bodies, markdown.look())
    fence()
    await removeTemporaryFiles(disk, sidecar)
    await medium.prepare()
    const first = untouched(recovered) ? medium.reopen(recovered) : await medium.begin(recovered, bodies)
    if (repair !== undefined) await bodies.repair(ledger.meta.hash, repair)
    return await assemble({
      ...options,
      limits,
      codec,
      tempPath,
      fence,
      medium,
      origin: options.medium && openFileOrigin(disk, sidecar, tempPath),
      bodies,
      markdown,
      recovered,
      first,
    })
  } catch (thrown) {
    ledger.close()
    throw thrown
  }
}

interface Parts extends StoreOptions {
  readonly limits: JournalLimits
  readonly codec: Codec
  tempPath(): string
  fence(): void
  readonly medium: Medium
  /** Absent: no other machine has a copy of the file. */
  readonly origin: FileOrigin | undefined
  readonly bodies: Bodies
  readonly markdown: MarkdownFile
  readonly recovered: Recovered
  readonly first: Journal
}

async function assemble(parts: Parts): Promise<Store> {
  const { markdown, bodies } = parts
  const { ledger, found } = parts.recovered
  const life = createLife(parts.log)
  const queue = createQueue(() => flusher.kick(), parts.meter)
  const flusher: Flusher = createFlusher(
    {
      ...parts,
      flush: (isAwaited) => generations.journal().flush(isAwaited),
      appended: () => ledger.meta.seq,
      failed: (reason) => state.poison(reason),
    },
    ledger.meta.seq,
  )
  const generations = createGenerations(
    {
      ...parts,
      ledger,
      queue,
      flusher: () => flusher,
      isPoisoned: () => life.poisoned.aborted,
      failed: (reason) => state.poison(reason),
    },
    parts.first,
  )
  const state: StoreState = {
    ...parts,
    hooks: parts.content.hooks,
    ledger,
    flusher,
    generations,
    newestText: newestTextOf(ledger, bodies),
    assertUsable: life.assertUsable,
    isPoisoned: () => life.poisoned.aborted,
    poison: (reason) => {
      const error = life.poison(reason)
      flusher.poison(error)
      return error
    },
  }
  try {
    const firstLook = parts.origin ? lookAtCopy : lookAtFile
    await inQueue(queue, () =>
      ledger.meta.version === 0 ? bootstrap(state, markdown.look()) : firstLook(state),
    )
  } catch (thrown) {
    generations.close()
    throw thrown
  }
  return storeOf(state, queue, life, found)
}

function storeOf(state: StoreState, queue: Queue, life: Life, found: Found): Store {
  let closing: Promise<void> | undefined
  return {
    found,
    poisoned: life.poisoned,
    mutate: (work) =>
      new Promise((resolve, reject) => queue.push(() => mutation(state, work, resolve, reject))),
    read: (work) => new Promise((resolve, reject) => queue.push(() => reading(state, work, resolve, reject))),
    look: async () => {
      await inQueue(queue, async () => {
        state.assertUsable()
        if (needsLook(state)) await lookAtFile(state)
        await state.flusher.settled()
      })
      return openRows(state).rows.document
    },
    close: () => {
      closing ??= closeStore(state, queue, life)
      return closing
    },
  }
}

async function closeStore(state: StoreState, queue: Queue, life: Life): Promise<void> {
  const { generations, ledger, log } = state
  // Behind what was asked before, in front of what is asked later.
  await inQueue(queue, async () => life.close())
  await generations.quiet()
  try {
    await inQueue(queue, async () => {
      if (!life.poisoned.aborted) await generations.finish()
    })
  } catch (thrown) {
    // Everything acknowledged is in the journals; the next start recovers instead of finding a checkpoint.
    log.warn('The room could not write its last checkpoint', { error: String(thrown) })
  }
  generations.close()
  ledger.close()
}

/**
 * A clean stop left an empty journal to go on with; everything else gets a generation of its own, also what an older
 * satchel left: its like must not read records that it would understand in part.
 */
function untouched(recovered: Recovered): boolean {
  return recovered.found === 'clean' && !recovered.ledger.isOlder
}

/**
 * Checks the newest body before anything is written. Gives the text to store again when only the file still has it.
 * Errors: `unavailable`/`store_damaged`.
 */
function newestBodyRepair(ledger: Ledger, bodies: Bodies, seen: Seen): string | undefined {
  const { hash, version } = ledger.meta
  if (version === 0) return undefined
  try {
    if (bodies.read(hash) !== undefined) return undefined
  } catch (thrown) {
    if (!(seen.kind === 'text' && seen.hash === hash)) throw thrown
    return seen.text
  }
  if (seen.kind === 'text' && seen.hash === hash) return seen.text
  throw storeDamaged('The newest text is missing.', { file: `versions/${hash}` })
}

function lockLost({ disk, sidecar, owner, medium }: StoreOptions): SatchelError {
  return medium || disk.statSync(join(sidecar, `lock-${owner + 1}`))
    ? refusals.ownership_lost()
    : refusals.sidecar_moved({ folder: basename(sidecar) })
}
