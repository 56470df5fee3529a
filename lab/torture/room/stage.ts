import type { NewVersion, Tx } from '../../../plugins/workspace/domain/rows.ts'
import { type Clock, realClock } from '../../../plugins/workspace/engine/clock.ts'
import type { JournalLimits } from '../../../plugins/workspace/engine/generations.ts'
import { type Craft, openStore } from '../../../plugins/workspace/engine/room-store.ts'
import type { Sql } from '../../../plugins/workspace/engine/sql.ts'
import type { Store, StoreContent } from '../../../plugins/workspace/engine/store.ts'
import { modelContentWith, silentLog } from '../../../plugins/workspace/testing/model.ts'
import type { Image } from '../../../server/platform/testing/simulated-disk.ts'
import type { Disk } from '../../../server/plugin.ts'

export const FILE = '/room/plan.md'
export const SIDECAR = '/room/.plan.md.satchel'
export const START_TEXT = '# Plan\n'

/** A folder with a file and an empty sidecar. */
export const START: Image = new Map<string, Buffer | 'directory'>([
  ['/', 'directory'],
  ['/room', 'directory'],
  [SIDECAR, 'directory'],
  [FILE, Buffer.from(START_TEXT)],
])

// Small, so that a short run sees growth, checkpoints and texts too long for a record.
export const LIMITS: JournalLimits = {
  preallocateBytes: 4_096,
  idleBytes: 2_048,
  idleMs: 0,
  forceBytes: 6_000,
  textBytes: 800,
  idleTexts: 4,
  forceTexts: 8,
}

/** For runs in which texts come and go between two checkpoints. */
export const ROOMY_LIMITS: JournalLimits = {
  ...LIMITS,
  idleBytes: 12_000,
  forceBytes: 24_000,
  idleTexts: 40,
  forceTexts: 60,
}

/** A mistake to build in. */
export interface PlantedBug {
  readonly name: string
  readonly disk?: (disk: Disk) => Disk
  readonly craft?: Craft
  /** Publishes inside the mutation instead of after the flush. */
  readonly publishEarly?: boolean
}

/** Opens the model room on a simulated disk, of which some flushes seem slow: both ways to wait are taken. */
export function openOn(
  disk: Disk,
  sql: Sql,
  options: {
    readonly bug?: PlantedBug | undefined
    readonly owner: number
    readonly limits?: JournalLimits | undefined
    /** Absent: that of the model room. */
    readonly content?: StoreContent
    adopted?(tx: Tx, version: NewVersion): void
  },
): Promise<Store> {
  let names = 0
  return openStore({
    sidecar: SIDECAR,
    file: FILE,
    content: options.content ?? modelContentWith(options.adopted ?? (() => {})),
    sql,
    disk: options.bug?.disk?.(disk) ?? disk,
    clock: virtualClock(),
    random: () => `${options.owner}-${++names}`,
    log: silentLog,
    owner: options.owner,
    holdsLock: () => true,
    limits: options.limits ?? LIMITS,
    craft: options.bug?.craft ?? {},
  })
}

function virtualClock(): Clock {
  let looks = 0
  let elapsedMs = 0
  return {
    // The times of files count disk changes, far behind this: every file looks settled.
    nowMs: () => Number.MAX_SAFE_INTEGER,
    // Two looks measure one flush: some are quick, then some slow.
    elapsedMs: () => {
      looks += 1
      elapsedMs += looks % 14 < 7 ? 0.1 : 2
      return elapsedMs
    },
    after: (_ms, work) => {
      void Promise.resolve().then(work)
      return () => {}
    },
    pause: realClock.pause,
  }
}
