import { sha256Of } from '../../../../plugins/workspace/engine/bodies.ts'
import type { Sql } from '../../../../plugins/workspace/engine/sql.ts'
import { commitText } from '../../../../plugins/workspace/testing/model.ts'
import { createSimulatedDisk } from '../../../../server/platform/testing/simulated-disk.ts'
import { createChance } from '../../chance.ts'
import { FILE, openOn, START, START_TEXT } from '../stage.ts'
import { trackSql } from '../tracked-sql.ts'

/** Who writes, and how many turns of the loop after the writer before. */
export interface Writing {
  readonly by: 'us' | 'editor'
  readonly after: number
}

/**
 * Lets a person save the file at any turn while the room commits, and looks for texts that are in no version. An edit
 * counts from the moment the file held it at a turn's end; one that the person overwrote in the same turn was never seen.
 */
export async function interleave(
  sql: Sql,
  steps: readonly Writing[],
): Promise<{ missing: readonly string[] }> {
  const { disk, image } = createSimulatedDisk(START, createChance(1))
  const tracked = trackSql(sql)
  const written = new Set([START_TEXT])
  const store = await openOn(disk, tracked.sql, { owner: 1 })
  const running: Promise<unknown>[] = []
  for (const [index, { by, after }] of steps.entries()) {
    for (let turn = 0; turn < after; turn += 1) await Promise.resolve()
    if (by === 'us') {
      const text = `# Ours ${index}\n`
      running.push(store.mutate((tx) => commitText(tx, text)).then(() => written.add(text)))
    } else {
      // A save in place of what no version holds yet is the person's own doing.
      await store.look()
      saveAtOnce(disk, `# Theirs ${index}\n`)
      written.add(`# Theirs ${index}\n`)
    }
  }
  await Promise.all(running)
  await store.look()
  const hashes = await store.read((rows) => new Set(rows.all('versions').map((row) => row['hash'])))
  tracked.closeAll()
  const last = image().get(FILE)
  const left = last instanceof Buffer ? [last.toString('utf8')] : []
  return { missing: [...written, ...left].filter((text) => !hashes.has(sha256Of(text))) }
}

/** Writes in place, in one turn as others see it. */
function saveAtOnce(disk: ReturnType<typeof createSimulatedDisk>['disk'], text: string): void {
  const file = disk.openSync(FILE)
  disk.truncateSync(file, 0)
  disk.writeSync(file, Buffer.from(text), 0)
  disk.closeSync(file)
}
