import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bundled } from '../../../test/fixtures/bundled.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { modelContent, silentLog } from '../testing/model.ts'
import { realClock } from './clock.ts'
import { openRoom, type RoomAttempt, roomPlace } from './open-room.ts'
import { type Surroundings, systemSurroundings } from './room-lock.ts'

const CROWDS = [2, 4, 8] // design workspace-engine 7
const STARTER = await bundled(join(import.meta.dirname, '../testing/starter.ts'))
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')

function plan(t: TestContext): string {
  const folder = temporaryFolderSync(t)
  const file = join(folder, 'plan.md')
  writeFileSync(file, '# Plan\n')
  return file
}

interface Starter {
  readonly child: ChildProcess
  /** Lets it try; gives what became of it. */
  go(): Promise<string>
}

async function starters(t: TestContext, file: string, count: number): Promise<readonly Starter[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, [STARTER, file, wasm], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      t.after(() => child.kill('SIGKILL'))
      await once(child.stdout, 'data')
      const go = async (): Promise<string> => {
        child.stdin.write('go\n')
        const [said] = await once(child.stdout, 'data')
        return String(said).trim()
      }
      return { child, go }
    }),
  )
}

async function end(ended: readonly Starter[]): Promise<void> {
  for (const { child } of ended) child.kill('SIGKILL')
  await Promise.all(ended.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
}

for (const count of CROWDS) {
  test(`${count} processes start concurrently: one owner; it is killed, ${count} others start: one owner`, async (t) => {
    const file = plan(t)
    const first = await starters(t, file, count)
    const second = await starters(t, file, count)

    const before = await Promise.all(first.map(({ go }) => go()))
    await end(first)
    const after = await Promise.all(second.map(({ go }) => go()))
    await end(second) // before their folder is removed

    const oneOwner = ['owner', ...Array.from({ length: count - 1 }, () => 'held')].sort()
    assert.deepEqual([before.sort(), after.sort()], [oneOwner, oneOwner])
  })
}

const real = systemSurroundings

/** Newcomers who know each other, and a former owner whose record means something else to them. */
const NEWCOMERS: Readonly<Record<string, Surroundings>> = {
  'after a reboot': { ...real, self: { ...real.self, boot_id: 'another' } },
  'and its pid belongs to another process': { ...real, self: { ...real.self, start: '1' }, start: () => '1' },
  'in another pid namespace': { ...real, self: { ...real.self, pidns: 'another' } },
}

for (const [when, surroundings] of Object.entries(NEWCOMERS)) {
  for (const count of CROWDS) {
    test(`the owner ended ${when}, ${count} start concurrently: one owner`, async (t) => {
      const options = {
        place: roomPlace(plan(t), {}),
        content: modelContent,
        log: silentLog,
        rank: 'stdio',
        wasm,
      } as const
      const former = await openRoom(options)
      assert.equal(former.kind, 'owner')
      let now = 0
      const pause = async (ms: number): Promise<void> => {
        now += ms
        await realClock.pause(0)
      }
      const seams = { surroundings, clock: { ...realClock, elapsedMs: () => now, pause } }

      const attempts = await Promise.all(Array.from({ length: count }, () => openRoom({ ...options, seams })))
      const kinds = attempts.map(({ kind }) => kind)
      await Promise.all([former, ...attempts].map(closeIfOwner))

      assert.equal(kinds.filter((kind) => kind === 'owner').length, 1, kinds.join())
    })
  }
}

async function closeIfOwner(attempt: RoomAttempt): Promise<void> {
  if (attempt.kind === 'owner') await attempt.room.close()
}
