import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import {
  type CopiedRecords,
  type Database,
  type DatabaseStore,
  type Host,
  inTightHeap,
  type StoreLag,
} from '../../../server/plugin.ts'
import type { ModulesConfig } from '../config.ts'
import type { SharedRun } from '../ingest/run.ts'
import { loadIndexHead } from '../output/index-file.ts'
import { stateDir } from '../output/module-index.ts'
import { isReason } from '../reasons.ts'
import type { CatalogueRows } from '../shared/catalogue-rows.ts'
import { MIGRATIONS, RUN_ENDED } from '../shared/migrations.ts'

/** The catalogue of a configuration that the database keeps, and the folder of this machine that follows it. */
export interface SharedCatalogue {
  readonly name: string
  readonly database: Database
  /** The folder that follows the rows. */
  readonly outputDir: string
  /** Where the summaries for `directory` are: another folder for the configured one. */
  placeOf(directory: string): string
  /** What an ingest of this catalogue needs. */
  run(): Promise<SharedRun>
  /**
   * Brings the folder up to date, at most once a second; concurrent calls share it. Without the database, what was followed
   * before stays. Errors: those of the database, where nothing was followed yet.
   */
  follow(): Promise<void>
  lag(): Promise<StoreLag>
  /** What differs between the files of the configuration and the rows keeps both from being copied. */
  checkCopy(): Promise<void>
  importFiles(signal: AbortSignal): Promise<CopiedRecords>
  exportFiles(): Promise<CopiedRecords>
}

const LOOK_EVERY_MS = 1_000
/** How long a worker may be silent until another one takes its repository. */
const LEASE_MS = 60_000

/** The catalogue that `catalogue` names; undefined where it is files. Opens nothing. */
export function sharedCatalogue(
  host: Host,
  config: Pick<ModulesConfig, 'catalogue' | 'output_dir'>,
  afterFollow: (changes: FollowedFolder) => Promise<void>,
): SharedCatalogue | undefined {
  const { database } = host
  const { catalogue: name } = config
  if (!database || name === null) return undefined
  const filesDir = resolve(host.workingDirectory, config.output_dir)
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  const outputDir = join(stateDir(filesDir), `catalogue-${digest}`)
  const rows = async (): Promise<CatalogueRows> => {
    const { catalogueRows } = await import('../shared/catalogue-rows.ts')
    return catalogueRows(database, name)
  }
  const { look, lag, hint } = createLooks({ rows, outputDir, name, afterFollow })
  database.onHint(RUN_ENDED, (about) => {
    if (about === undefined || about === name) hint()
  })
  const copied = async (copy: 'importCatalogue' | 'exportCatalogue', signal: AbortSignal) =>
    (await import('../shared/copy-catalogue.ts'))[copy](
      { rows: await rows(), catalogue: name, outputDir: filesDir },
      signal,
    )
  return {
    name,
    database,
    outputDir,
    placeOf: (directory) => (directory === filesDir ? outputDir : directory),
    async run() {
      const { queueRows } = await import('../shared/queue-rows.ts')
      return {
        catalogue: name,
        rows: await rows(),
        queue: queueRows(database, name, LEASE_MS),
        leaseMs: LEASE_MS,
      }
    },
    async follow() {
      try {
        await look()
      } catch (thrown) {
        if (loadIndexHead(outputDir) === undefined) throw thrown
        host.log.warn('the catalogue of the database could not be followed', { error: thrown })
      }
    },
    lag,
    async checkCopy() {
      const { checkCopy } = await import('../shared/copy-catalogue.ts')
      await checkCopy({ rows: await rows(), catalogue: name, outputDir: filesDir })
    },
    async importFiles(signal) {
      return { from: config.output_dir, to: database.place, ...(await copied('importCatalogue', signal)) }
    },
    async exportFiles() {
      return {
        from: database.place,
        to: config.output_dir,
        ...(await copied('exportCatalogue', host.signal)),
      }
    },
  }
}

/** The tables, and the copies between them and files where a catalogue is named. */
export function catalogueStore(shared: SharedCatalogue | undefined): DatabaseStore {
  const store = { name: 'catalogue', migrations: MIGRATIONS }
  if (shared === undefined) return store
  const { checkCopy, importFiles, exportFiles, lag } = shared
  return { ...store, checkImport: checkCopy, checkExport: checkCopy, importFiles, exportFiles, lag }
}

/** A folder that follows, and what changed in it. */
export type FollowedFolder = Awaited<ReturnType<typeof import('../shared/follow.ts').follow>> & {
  readonly outputDir: string
}

interface Looked {
  readonly name: string
  readonly outputDir: string
  rows(): Promise<CatalogueRows>
  afterFollow(folder: FollowedFolder): Promise<void>
}

/** Looks at the head of the rows, and follows where it moved. */
function createLooks({ name, outputDir, rows, afterFollow }: Looked) {
  let looking: Promise<void> | undefined
  let lookedMs = Number.NEGATIVE_INFINITY
  let [isUsed, isHinted] = [false, false]
  /** Changes that are followed now: calls wait until a search has them, too. */
  let pending = 0
  let levelMs = performance.now()
  const lagNow = async (): Promise<StoreLag> => {
    const { lagOf } = await import('../shared/follow.ts')
    const behind = await lagOf({ rows: await rows(), catalogue: name, outputDir })
    const changes = Math.max(behind, pending)
    if (changes === 0) levelMs = performance.now()
    return { changes, seconds: changes === 0 ? 0 : (performance.now() - levelMs) / 1000 }
  }
  const follow = async (): Promise<void> => {
    const { changes } = await lagNow()
    if (changes === 0) return
    const [{ followLocked }, own] = await Promise.all([import('../shared/follow.ts'), rows()])
    pending = changes
    try {
      await inTightHeap(() =>
        followLocked({ rows: own, catalogue: name, outputDir }, (followed) =>
          afterFollow({ ...followed, outputDir }),
        ),
      )
      levelMs = performance.now()
    } catch (thrown) {
      // The ingest that has the folder follows, too.
      if (!isReason(thrown, 'ingest_running')) throw thrown
    } finally {
      pending = 0
    }
  }
  const look = async (): Promise<void> => {
    if (looking !== undefined) return await looking
    if (performance.now() - lookedMs < LOOK_EVERY_MS) return
    isUsed = true
    isHinted = false
    looking = follow().then(() => {
      // A hint that came meanwhile may tell of what this look did not see.
      if (!isHinted) lookedMs = performance.now()
    })
    try {
      await looking
    } finally {
      looking = undefined
    }
  }
  return {
    look,
    /** The next call looks again; where calls came before, the folder follows now. */
    hint(): void {
      isHinted = true
      lookedMs = Number.NEGATIVE_INFINITY
      if (!isUsed) return
      const before = looking?.catch(() => undefined) ?? Promise.resolve()
      before.then(look).catch(() => undefined) // the next call of a tool says what is wrong
    },
    /** Asks the database, and follows in the background: who asks needs no call to come. */
    async lag(): Promise<StoreLag> {
      const lag = await lagNow()
      if (lag.changes > 0) look().catch(() => undefined) // the next call of a tool says what is wrong
      return lag
    },
  }
}
