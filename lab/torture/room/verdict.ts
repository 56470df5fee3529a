import { recover } from '../../../plugins/workspace/engine/recovery.ts'
import type { Sql } from '../../../plugins/workspace/engine/sql.ts'
import type { Store } from '../../../plugins/workspace/engine/store.ts'
import { addNote, modelContent, versionName } from '../../../plugins/workspace/testing/model.ts'
import {
  createSimulatedDisk,
  type Image,
  type SimulatedDisk,
} from '../../../server/platform/testing/simulated-disk.ts'
import type { Chance } from '../chance.ts'
import type { Verdict } from '../power-cuts.ts'
import type { History } from './history.ts'
import { brokenPromises } from './promises.ts'
import { FILE, openOn, type PlantedBug, SIDECAR } from './stage.ts'
import { trackSql } from './tracked-sql.ts'

/** What a power cut left, and what is known about the time before. */
export interface Cut {
  readonly image: Image
  /** Disk changes before the power went. */
  readonly at: number
  readonly history: History
  readonly sql: Sql
  readonly chance: Chance
  readonly bug: PlantedBug | undefined
  readonly owner: number
}

/** Recovers the room from what a power cut left, checks every promise, works on and recovers once more. */
export async function judge(cut: Cut): Promise<Verdict> {
  const tracked = trackSql(cut.sql)
  try {
    return await judgeOpen({ ...cut, sql: tracked.sql })
  } finally {
    tracked.closeAll()
  }
}

async function judgeOpen(cut: Cut): Promise<Verdict> {
  const simulated = createSimulatedDisk(cut.image, cut.chance)
  let adopted = 0
  try {
    const store = await openOn(simulated.disk, cut.sql, {
      owner: cut.owner,
      bug: cut.bug,
      adopted: (tx, version) => {
        adopted += 1
        cut.history.issue(tx.latestEventId, versionName(version.version, version.hash), 0)
      },
    })
    const recovery = [...simulated.changes]
    const before = cut.image.get(FILE)
    const now = simulated.image().get(FILE)
    const faults = [
      ...(await brokenPromises({ store, ...cut, before: contentOf(before), now: contentOf(now) })),
      ...(adopted === 0 ? await sameAfterReplay(cut, simulated) : []),
      ...(await worksOn(store, cut, simulated)),
    ]
    return { faults, recovery }
  } catch (thrown) {
    return { faults: [`the room could not be recovered: ${thrown}`], recovery: [...simulated.changes] }
  }
}

function contentOf(found: Buffer | 'directory' | undefined): Buffer | undefined {
  return found === 'directory' ? undefined : found
}

/** The checkpoint of the recovery says what checkpoint and journal said before. */
async function sameAfterReplay(cut: Cut, simulated: SimulatedDisk): Promise<readonly string[]> {
  const before = await recoverOnly(cut, cut.image)
  const after = await recoverOnly(cut, simulated.image())
  return before.dumpHash === after.dumpHash ? [] : ['a second recovery gives a different room']
}

/** One more mutation; it is what a killed process would leave. */
async function worksOn(store: Store, cut: Cut, simulated: SimulatedDisk): Promise<readonly string[]> {
  const latest = await store.mutate((tx) => addNote(tx, 2_000_000, 'after the cut'.padEnd(120, '-')))
  const later = await recoverOnly(cut, simulated.image())
  return later.latest === latest
    ? []
    : [`after event ${latest} was answered, a recovery finds ${later.latest}`]
}

async function recoverOnly(
  { sql, chance, bug }: Cut,
  image: Image,
): Promise<{ dumpHash: string; latest: number }> {
  const { disk } = createSimulatedDisk(image, chance)
  const { ledger } = await recover(disk, SIDECAR, sql, modelContent, bug?.craft?.codec)
  const found = { dumpHash: ledger.dumpHash(), latest: ledger.meta.nextEventId - 1 }
  ledger.close()
  return found
}
