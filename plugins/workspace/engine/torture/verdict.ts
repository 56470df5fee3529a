import { sha256Of } from '../bodies.ts'
import { recover } from '../recovery.ts'
import type { Sql } from '../sql.ts'
import type { Store } from '../store.ts'
import type { Chance } from './chance.ts'
import type { History } from './history.ts'
import { addNote, changesByEvent, modelContent, rowFaults, versionName } from './model.ts'
import { type Change, createSimulatedDisk, type Image, type SimulatedDisk } from './simulated-disk.ts'
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

export interface Verdict {
  /** What was promised and not kept; empty when all is well. */
  readonly faults: readonly string[]
  /** What the recovery did to the disk. */
  readonly recovery: readonly Change[]
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
  const texts: string[] = []
  try {
    const store = await openOn(simulated.disk, cut.sql, {
      owner: cut.owner,
      bug: cut.bug,
      adopted: (tx, version) => {
        texts.push(version.hash)
        cut.history.issue(tx.latestEventId, versionName(version.version, version.hash), 0)
      },
    })
    const recovery = [...simulated.changes]
    const faults = [
      ...(await store.read(rowFaults)),
      ...(await promises(store, cut)),
      ...(await texting(store, cut, simulated)),
      ...texts
        .filter((hash) => !cut.history.knows(hash))
        .map(() => 'a text that nobody wrote became a version'),
      ...(await secondRecovery(store, cut, simulated)),
    ]
    return { faults, recovery }
  } catch (thrown) {
    return { faults: [`the room could not be recovered: ${thrown}`], recovery: [...simulated.changes] }
  }
}

/** Acknowledged is there, what is there was issued and never refused. */
function promises(store: Store, { history, at }: Cut): Promise<readonly string[]> {
  return store.read((rows) => {
    const told = history.toldBy(at)
    const lost =
      rows.latestEventId < told ? [`event ${told} was shown, the room ends at ${rows.latestEventId}`] : []
    const phantoms = [...changesByEvent(rows)]
      .filter(([eventId, change]) => !history.allows(eventId, change, at))
      .map(([eventId, change]) => `event ${eventId} (${change}) was refused or never issued`)
    return [...lost, ...phantoms]
  })
}

/** Every text is whole and known; what stood in the file is a version; the file is the newest version. */
async function texting(
  store: Store,
  { history, image }: Cut,
  simulated: SimulatedDisk,
): Promise<readonly string[]> {
  const before = image.get(FILE)
  const found = await store.read((rows) => ({
    document: rows.document,
    versions: rows.all('versions').map((row) => ({
      hash: String(row['hash']),
      source: String(row['source']),
      whole: rows.body(String(row['hash'])) !== undefined,
    })),
  }))
  const hashBefore = before instanceof Buffer ? sha256Of(before) : undefined
  const now = simulated.image().get(FILE)
  const faults = found.versions.flatMap(({ hash, source, whole }, index) => [
    ...(whole ? [] : [`the text of version ${index + 1} is gone`]),
    ...(history.knows(hash) ? [] : [`version ${index + 1} has a text that nobody wrote`]),
    ...(source === 'external' && !history.isEdit(hash) ? [`version ${index + 1} is a phantom edit`] : []),
  ])
  if (hashBefore && !found.versions.some(({ hash }) => hash === hashBefore))
    faults.push('the text in the file is in no version')
  if (!(now instanceof Buffer) || sha256Of(now) !== found.document.hash)
    faults.push('the file is not the newest version')
  return faults
}

/** One more mutation; then everything again from the disk as a killed process would leave it. */
async function secondRecovery(store: Store, cut: Cut, simulated: SimulatedDisk): Promise<readonly string[]> {
  const first = await recoverOnly(cut, simulated)
  const again = await recoverOnly(cut, simulated)
  const latest = await store.mutate((tx) => addNote(tx, 2_000_000, 'after the cut'.padEnd(120, '-')))
  const later = await recoverOnly(cut, simulated)
  return [
    ...(first.dumpHash === again.dumpHash ? [] : ['two recoveries give different rooms']),
    ...(later.latest === latest
      ? []
      : [`after event ${latest} was answered, a recovery finds ${later.latest}`]),
  ]
}

async function recoverOnly(
  { sql, chance, bug }: Cut,
  simulated: SimulatedDisk,
): Promise<{ dumpHash: string; latest: number }> {
  const { disk } = createSimulatedDisk(simulated.image(), chance)
  const { ledger } = await recover(disk, SIDECAR, sql, modelContent, bug?.craft?.codec)
  const found = { dumpHash: ledger.dumpHash(), latest: ledger.meta.nextEventId - 1 }
  ledger.close()
  return found
}
