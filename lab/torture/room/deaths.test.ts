import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VERSIONS_DIRECTORY } from '../../../plugins/workspace/engine/bodies.ts'
import { addDraft, addNote, commitText, lostTexts } from '../../../plugins/workspace/testing/model.ts'
import { createSimulatedDisk, type SimulatedDisk } from '../../../server/platform/testing/simulated-disk.ts'
import type { Disk } from '../../../server/plugin.ts'
import { loadRoomSql } from '../../room/sql.ts'
import { type Chance, createChance } from '../chance.ts'
import { createMedium } from '../medium.ts'
import { FILE, LIMITS, openOn, SIDECAR, START } from './stage.ts'

const sql = await loadRoomSql()

/** A disk whose process is killed, once told so, when it flushes the names of a directory. */
function killable({ disk }: SimulatedDisk): { disk: Disk; diesAt(directory: string): Promise<void> } {
  let fatal: string | undefined
  let die = (): void => {}
  const syncDirectory = (path: string): Promise<void> => {
    if (path !== fatal) return disk.syncDirectory(path)
    die()
    return new Promise(() => {})
  }
  return {
    // Slow enough that no call waits in place.
    disk: { ...disk, syncDirectory, syncDirectorySync: () => assert.fail('waited in place') },
    diesAt: (directory) => {
      fatal = directory
      return new Promise((resolve) => {
        die = resolve
      })
    },
  }
}

/** The disk after a power cut that left only what was flushed. */
function afterUnluckyCut({ changes }: SimulatedDisk): Disk {
  const unlucky: Chance = { below: () => 0, maybe: () => false, bytes: (count) => Buffer.alloc(count) }
  const medium = createMedium(START)
  for (const [number, change] of changes.entries()) medium.apply(change, number)
  return createSimulatedDisk(medium.cut(unlucky), createChance(1)).disk
}

test('a stored text whose name a killed process did not flush is safe with the next one that names it', async () => {
  const simulated = createSimulatedDisk(START, createChance(1))
  const long = 'x'.repeat(LIMITS.textBytes + 1)
  await openOn(simulated.disk, sql, { owner: 1 }).then((store) => store.close())
  const { disk, diesAt } = killable(simulated)
  const dying = await openOn(disk, sql, { owner: 2 })
  const death = diesAt(`${SIDECAR}/${VERSIONS_DIRECTORY}`)
  void dying.mutate((tx) => addDraft(tx, 1, long))
  await death

  const next = await openOn(simulated.disk, sql, { owner: 3 })
  await next.mutate((tx) => addDraft(tx, 1, long))
  const afterCut = await openOn(afterUnluckyCut(simulated), sql, { owner: 4 })

  assert.equal(next.found, 'clean')
  assert.deepEqual(await afterCut.read((rows) => [rows.all('drafts').length, lostTexts(rows)]), [1, []])
})

test('a file whose name a killed process did not flush makes no phantom edit after a power cut', async () => {
  const simulated = createSimulatedDisk(START, createChance(1))
  const { disk, diesAt } = killable(simulated)
  const dying = await openOn(disk, sql, { owner: 1 })
  const death = diesAt('/room')
  void dying.mutate((tx) => commitText(tx, '# Ours\n'))
  await death

  const next = await openOn(simulated.disk, sql, { owner: 2 })
  await next.mutate((tx) => addNote(tx, 1, 'says that the file is written'))
  const afterCut = await openOn(afterUnluckyCut(simulated), sql, { owner: 3 })

  const sources = await afterCut.read((rows) => rows.all('versions').map(({ source }) => source))
  assert.deepEqual(sources, ['bootstrap', 'commit'])
})

test('an edit that its editor did not flush makes no phantom edit after a power cut', async () => {
  const simulated = createSimulatedDisk(START, createChance(1))
  const store = await openOn(simulated.disk, sql, { owner: 1 })
  await simulated.disk.create(`${FILE}~`, '# Theirs\n', 0o644)
  await simulated.disk.rename(`${FILE}~`, FILE)

  await store.look()
  const afterCut = await openOn(afterUnluckyCut(simulated), sql, { owner: 2 })

  const sources = await afterCut.read((rows) => rows.all('versions').map(({ source }) => source))
  assert.deepEqual(sources, ['bootstrap', 'external'])
})
