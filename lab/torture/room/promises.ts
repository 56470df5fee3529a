import { sha256Of } from '../../../plugins/workspace/engine/bodies.ts'
import type { Store } from '../../../plugins/workspace/engine/store.ts'
import { changesByEvent, lostTexts, rowFaults } from '../../../plugins/workspace/testing/model.ts'
import type { History } from './history.ts'

/** A room that was opened after a death, and what is known of the time before. */
export interface Survivor {
  readonly store: Store
  readonly history: History
  /** Disk changes before the death. */
  readonly at: number
  /** The file as the death left it; undefined when there was none. */
  readonly before: Buffer | undefined
  /** The file after the room was opened. */
  readonly now: Buffer | undefined
}

/** Every promise that was not kept; empty when all were. */
export async function brokenPromises(survivor: Survivor): Promise<readonly string[]> {
  return [
    ...(await survivor.store.read(rowFaults)),
    ...(await changeFaults(survivor)),
    ...(await textFaults(survivor)),
  ]
}

/** What was shown is there; what is there was issued and never refused. */
function changeFaults({ store, history, at }: Survivor): Promise<readonly string[]> {
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

/** Every text that is kept is whole, and known; what the file held is a version; the file is the newest version. */
async function textFaults({ store, history, before, now }: Survivor): Promise<readonly string[]> {
  const { newest, versions, lost } = await store.read((rows) => ({
    newest: rows.document.hash,
    versions: rows.all('versions').map((row) => ({
      hash: String(row['hash']),
      source: String(row['source']),
    })),
    lost: lostTexts(rows),
  }))
  const isVersion = (text: Buffer): boolean => versions.some(({ hash }) => hash === sha256Of(text))
  return [
    ...lost,
    ...versions.flatMap(({ hash, source }, index) => [
      ...(history.knows(hash) ? [] : [`version ${index + 1} has a text that was never written`]),
      ...(source === 'external' && !history.isEdit(hash) ? [`version ${index + 1} is a phantom edit`] : []),
    ]),
    ...(before && !isVersion(before) ? ['the text in the file is in no version'] : []),
    ...(now && sha256Of(now) === newest ? [] : ['the file is not the newest version']),
  ]
}
