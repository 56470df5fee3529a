import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { validate } from '../../../generated/handoff-validate.js'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { bundled } from '../../../test/fixtures/bundled.ts'
import { openTestProject, SMALL } from '../testing/fixture.ts'
import { layoutOf } from './layout.ts'
import { openStore, type Store } from './store.ts'

const WRITER = await bundled(join(import.meta.dirname, '../testing/writer.ts'))

interface Writer {
  readonly process: ChildProcess
  readonly acknowledged: string[]
  readonly ended: Promise<number | null>
}

function startWriter(args: readonly string[]): Writer {
  const child = spawn(process.execPath, [WRITER, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const acknowledged: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    acknowledged.push(...lines)
  })
  const ended = once(child, 'close').then(([code]) => code)
  return { process: child, acknowledged, ended }
}

/** How often a writer is killed; a long run sets it to 200. */
const KILLS = Number(process.env['SATCHEL_KILLS'] ?? 18)

test('eight processes with fifty updates each keep all four hundred', { timeout: 600_000 }, async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await project.call('handoff_create', SMALL)

  const writers = Array.from({ length: 8 }, (_, n) =>
    startWriter(['update', project.root, id, '50', `p${n}`]),
  )
  const codes = await Promise.all(writers.map(({ ended }) => ended))

  assert.deepEqual(codes, Array(8).fill(0))
  const record = JSON.parse(project.read(path))
  assert.equal(new Set(record.summary.completed).size, 400)
  assert.equal(validate(record), true)
})

test('killed writers lose nothing that was acknowledged and leave no torn file', {
  timeout: 600_000 + KILLS * 5_000,
}, async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await project.call('handoff_create', SMALL)
  const acknowledged: string[] = []
  const { store, looks } = watchedStore(project.root)
  const looksOfWrites: number[] = []

  for (let round = 0; round < KILLS / 3; round++) {
    const writers = Array.from({ length: 3 }, (_, n) =>
      startWriter(['update', project.root, id, '1000', `r${round}p${n}`]),
    )
    for (const writer of writers) {
      while (writer.acknowledged.length < 3 + (round % 6))
        await once(writer.process.stdout ?? writer.process, 'data')
      writer.process.kill('SIGKILL')
      await writer.ended
      acknowledged.push(...writer.acknowledged)
    }
    const before = looks()
    await store.update(id, undefined, (current) => current.document?.text)
    looksOfWrites.push(looks() - before)
  }

  assert.ok(Math.max(...looksOfWrites) <= 1, 'no write waits for the lock of a killed one')
  const record = JSON.parse(project.read(path))
  const present = new Set(record.summary.completed)
  assert.deepEqual(
    acknowledged.filter((entry) => !present.has(entry)),
    [],
  )
  assert.equal(validate(record), true)
})

test('twenty processes with one idempotency key make one record', { timeout: 600_000 }, async (t) => {
  const project = await openTestProject(t)

  const writers = Array.from({ length: 20 }, () => startWriter(['create', project.root, 'the-key']))
  await Promise.all(writers.map(({ ended }) => ended))

  const ids = new Set(writers.flatMap(({ acknowledged }) => acknowledged))
  assert.deepEqual(
    readdirSync(join(project.root, '.handoffs/records')),
    [...ids].map((id) => `${id}.json`),
  )
  assert.equal(ids.size, 1)
})

test('of two processes that go on from one record concurrently exactly one child is conflicted', {
  timeout: 600_000,
}, async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', SMALL)

  const writers = Array.from({ length: 2 }, () => startWriter(['continue', project.root, id]))
  await Promise.all(writers.map(({ ended }) => ended))

  const children = writers.flatMap(({ acknowledged }) => acknowledged)
  assert.equal(new Set(children).size, 2)
  const flags = children.map((child) => JSON.parse(project.read(`.handoffs/records/${child}.json`)).flags)
  assert.deepEqual(flags.flat(), ['conflicted'])
})

/** How long a holder is stopped: 61 in a long run; otherwise its lock is made as old as that. */
const STOPPED_S = Number(process.env['SATCHEL_STOPPED_S'] ?? 0)

test('a holder that was stopped for 61 s aborts with locked and writes nothing', {
  timeout: 600_000 + STOPPED_S * 1000,
}, async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await project.call('handoff_create', SMALL)
  const holder = startWriter(['hold', project.root, id, 'written by the stopped one'])
  t.after(() => holder.process.kill('SIGKILL'))
  while (!holder.acknowledged.includes('holding')) await once(holder.process.stdout ?? holder.process, 'data')
  holder.process.kill('SIGSTOP')
  if (STOPPED_S > 0) await wait(STOPPED_S * 1000)
  else {
    const locks = join(project.root, '.handoffs/.locks')
    const old = new Date(Date.now() - 61_000)
    for (const lock of readdirSync(locks)) utimesSync(join(locks, lock), old, old)
  }

  const { store, looks } = watchedStore(project.root)
  await store.update(id, undefined, (current) =>
    current.document?.text.replace(SMALL.current_state, 'written meanwhile'),
  )
  const looksAtLock = looks()
  holder.process.kill('SIGCONT')
  holder.process.stdin?.write('go on')
  await holder.ended

  assert.equal(looksAtLock, 1, 'the lock is taken over without waiting')
  assert.deepEqual(holder.acknowledged, ['holding', 'refused: conflict/locked'])
  assert.equal(JSON.parse(project.read(path)).summary.current_state, 'written meanwhile')
})

function storeAt(root: string, disk = realDisk): Store {
  return openStore({ disk, layout: layoutOf(root, join(root, '.handoffs')), now: () => Date.now() })
}

/** A store, and how often it looked whether a lock is held: once for each lock that it takes without waiting. */
function watchedStore(root: string): { readonly store: Store; readonly looks: () => number } {
  let looks = 0
  const disk: Disk = {
    ...realDisk,
    readFileSync: (path) => {
      if (path.includes('.locks/') && !path.endsWith('.gitignore')) looks++
      return realDisk.readFileSync(path)
    },
  }
  return { store: storeAt(root, disk), looks: () => looks }
}
