import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Host } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { openRoom, roomPlace } from '../engine/open-room.ts'
import { addNote, modelContent, silentLog } from '../testing/model.ts'
import { roomFindings } from './looking.ts'

const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
// Doctor asks its host for the packaged file only.
const host = { log: silentLog, assetPath: () => wasm } as unknown as Host

/** What a killed owner leaves, in a folder of its own. */
async function deadRoom(t: TestContext): Promise<string> {
  const living = temporaryFolderSync(t)
  writeFileSync(join(living, 'plan.md'), '# Plan\n')
  const place = roomPlace(join(living, 'plan.md'), {})
  const attempt = await openRoom({ place, content: modelContent, log: silentLog, rank: 'stdio', wasm })
  if (attempt.kind !== 'owner') throw new Error('a fresh room has no owner')
  for (let id = 0; id < 4; id += 1) await attempt.room.store.mutate((tx) => addNote(tx, id, 'x'))
  const dead = temporaryFolderSync(t)
  cpSync(living, dead, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  await attempt.room.close()
  return join(dead, 'plan.md')
}

test('doctor names file, byte and number of a damaged record and changes nothing', async (t) => {
  const place = roomPlace(await deadRoom(t), {})
  const name = readdirSync(place.sidecar).find((found) => found.endsWith('.log')) ?? ''
  const path = join(place.sidecar, name)
  const bytes = readFileSync(path)
  const second = 16 + bytes.readUInt32LE(0)
  bytes[second + 30] = (bytes[second + 30] ?? 0) ^ 1
  writeFileSync(path, bytes)

  const findings = await roomFindings(host, place)

  assert.equal(findings[0]?.level, 'problem')
  assert.ok(findings[0]?.detail.startsWith(`${name} at byte ${second}, record 2: `), findings[0]?.detail)
  assert.deepEqual(readFileSync(path), bytes)
})
