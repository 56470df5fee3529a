import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { validate } from '../generated/handoff-validate.js'
import { type Disk, realDisk } from '../plugins/handoff/store/disk.ts'
import { layoutOf } from '../plugins/handoff/store/layout.ts'
import { openStore, type Store } from '../plugins/handoff/store/store.ts'
import { openBench, SMALL } from './handoff-fixture.ts'

const WRITER = fileURLToPath(new URL('./handoff-writer.ts', import.meta.url))

interface Writer {
  readonly process: ChildProcess
  readonly acknowledged: string[]
  readonly ended: Promise<number | null>
}

function startWriter(...args: string[]): Writer {
  const child = spawn(process.execPath, ['--import', 'tsx', WRITER, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
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

test('eight processes with fifty updates each keep all four hundred', { timeout: 110_000 }, async (t) => {
  const bench = await openBench(t)
  const { id, path } = await bench.call('handoff_create', SMALL)

  const writers = Array.from({ length: 8 }, (_, n) => startWriter('update', bench.root, id, '50', `p${n}`))
  const codes = await Promise.all(writers.map(({ ended }) => ended))

  assert.deepEqual(codes, Array(8).fill(0))
  const record = JSON.parse(bench.read(path))
  assert.equal(new Set(record.summary.completed).size, 400)
  assert.equal(validate(record), true)
})

test('killed writers lose nothing that was acknowledged and leave no torn file', {
  timeout: 110_000 + KILLS * 5_000,
}, async (t) => {
  const bench = await openBench(t)
  const { id, path } = await bench.call('handoff_create', SMALL)
  const acknowledged: string[] = []

  for (let round = 0; round < KILLS / 3; round++) {
    const writers = Array.from({ length: 3 }, (_, n) =>
      startWriter('update', bench.root, id, '1000', `r${round}p${n}`),
    )
    for (const writer of writers) {
      while (writer.acknowledged.length < 3 + (round % 6))
        await once(writer.process.stdout ?? writer.process, 'data')
      writer.process.kill('SIGKILL')
      await writer.ended
      acknowledged.push(...writer.acknowledged)
    }
  }
  const started = performance.now()
  const last = startWriter('update', bench.root, id, '1', 'last')
  assert.equal(await last.ended, 0)
  t.diagnostic(`next writer after the kills: ${Math.round(performance.now() - started)} ms with its start`)

  const record = JSON.parse(bench.read(path))
  const present = new Set(record.summary.completed)
  assert.deepEqual(
    acknowledged.filter((entry) => !present.has(entry)),
    [],
  )
  assert.equal(validate(record), true)
})

test('six processes with one idempotency key make one record', { timeout: 60_000 }, async (t) => {
  const bench = await openBench(t)

  const writers = Array.from({ length: 6 }, () => startWriter('create', bench.root, 'the-key'))
  await Promise.all(writers.map(({ ended }) => ended))

  assert.equal(new Set(writers.flatMap(({ acknowledged }) => acknowledged)).size, 1)
  assert.equal(readdirSync(join(bench.root, '.handoffs/records')).length, 1)
})

function storeOn(t: TestContext, disk: Disk): { store: Store; root: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'satchel-store-')))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  return {
    root,
    store: openStore({ disk, layout: layoutOf(root, join(root, '.handoffs')), now: () => Date.now() }),
  }
}

/** A disk whose n-th call fails with `code`; with `dies`, so does every later one: the process is gone. */
function failingDisk(nth: number, code: string, dies: boolean): { disk: Disk; calls: () => number } {
  let calls = 0
  const fail = () => Object.assign(new Error(code), { code })
  const wrap =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      calls++
      if (calls === nth || (dies && calls > nth)) throw fail()
      return method(...args)
    }
  const disk: Disk = {
    read: wrap(realDisk.read),
    list: wrap(realDisk.list),
    stat: wrap(realDisk.stat),
    makeDirectory: wrap(realDisk.makeDirectory),
    writeNew: wrap(realDisk.writeNew),
    link: wrap(realDisk.link),
    rename: wrap(realDisk.rename),
    unlink: wrap(realDisk.unlink),
    empty: wrap(realDisk.empty),
    syncDirectory: wrap(realDisk.syncDirectory),
  }
  return { disk, calls: () => calls }
}

const ID = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f'
const CASES = JSON.parse(
  readFileSync(
    fileURLToPath(new URL('../plugins/handoff/testdata/handoff-cases.json', import.meta.url)),
    'utf8',
  ),
)
const OLD = `${JSON.stringify(CASES[0].record, null, 2)}\n`
const NEW = OLD.replace('One fixture remains.', 'None remains.')

for (const [code, dies] of [
  ['ENOSPC', false],
  ['EIO', false],
  ['EKILLED', true],
] as const) {
  test(`a ${code} at any step of create or update leaves the old or the new record`, async (t) => {
    for (let nth = 1; ; nth++) {
      const { disk, calls } = failingDisk(nth, code, dies)
      const { store, root } = storeOn(t, disk)
      const file = join(root, '.handoffs/records', `${ID}.json`)
      let failed: unknown

      await store.create(ID, OLD).catch((thrown) => (failed ??= thrown))
      const created = readOr(file)
      await store.update(ID, undefined, () => NEW).catch((thrown) => (failed ??= thrown))
      const updated = readOr(file)

      assert.ok([undefined, OLD].includes(created), `torn at ${nth}`)
      assert.ok([undefined, OLD, NEW].includes(updated), `torn at ${nth}`)
      if (created === OLD) assert.notEqual(updated, undefined, `lost at ${nth}`)
      if (failed && !dies) {
        const { reason } = failed as { reason?: string }
        assert.ok(
          ['disk_full', 'store_unwritable', 'record_not_found'].includes(reason ?? ''),
          `${nth}: ${String(failed)}`,
        )
      }
      // The next writer, on a disk that works, is not held up by what is left.
      const healthy = openStore({ disk: realDisk, layout: store.layout, now: () => Date.now() })
      if (updated === undefined) await healthy.create(ID, OLD)
      await healthy.update(ID, undefined, () => NEW)
      assert.equal(readOr(file), NEW)
      if (nth > calls()) break
    }
  })
}

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

test('two creates of one id: one wins, the other is told it exists', async (t) => {
  const { store } = storeOn(t, realDisk)

  const outcomes = await Promise.allSettled([store.create(ID, OLD), store.create(ID, OLD)])

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.equal(refused.length, 1)
  assert.equal(refused[0]?.reason.reason, 'exists')
})

test('an update with an old etag changes nothing', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  const { etag } = await store.create(ID, OLD)
  await store.update(ID, etag, () => NEW)

  await assert.rejects(
    store.update(ID, etag, () => OLD),
    { code: 'conflict', reason: 'etag_mismatch' },
  )

  assert.equal(readFileSync(join(root, '.handoffs/records', `${ID}.json`), 'utf8'), NEW)
})

test('a file system without hard links is named as such', async (t) => {
  const { store } = storeOn(t, {
    ...realDisk,
    link: () => Promise.reject(Object.assign(new Error(), { code: 'EPERM' })),
  })

  await assert.rejects(store.create(ID, OLD), { code: 'unavailable', reason: 'no_hard_links' })
})

test('a store path that is a file is unavailable', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  writeFileSync(join(root, '.handoffs'), 'a file')

  await assert.rejects(store.create(ID, OLD), { code: 'unavailable', reason: 'store_unwritable' })
  assert.equal(readFileSync(join(root, '.handoffs'), 'utf8'), 'a file')
})

test('a holder that lost its lock aborts before the rename', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  await store.create(ID, OLD)
  const locks = join(root, '.handoffs/.locks')

  const slow = store.update(ID, undefined, async () => {
    // As after a minute of SIGSTOP: the lock file is old, and another writer takes the next generation.
    const [mine = ''] = readdirSync(locks)
    const old = new Date(Date.now() - 61_000)
    utimesSync(join(locks, mine), old, old)
    await openStore({ disk: realDisk, layout: store.layout, now: () => Date.now() }).update(
      ID,
      undefined,
      () => NEW,
    )
    return OLD.replace('One fixture', 'Ten fixtures')
  })

  await assert.rejects(slow, { code: 'conflict', reason: 'locked' })
  assert.equal(readFileSync(join(root, '.handoffs/records', `${ID}.json`), 'utf8'), NEW)
})

test('a lock left by a dead process is taken over at once', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  await store.create(ID, OLD)
  const child = spawn(process.execPath, ['-e', '0'])
  await once(child, 'close')
  const { hostname } = await import('node:os')
  writeFileSync(
    join(root, '.handoffs/.locks', `${ID}.7`),
    JSON.stringify({ pid: child.pid, host: hostname(), start: '1' }),
  )

  const started = performance.now()
  await store.update(ID, undefined, () => NEW)

  assert.ok(performance.now() - started < 4500)
  assert.deepEqual(readdirSync(join(root, '.handoffs/.locks')), [`${ID}.8`])
})

test('a record that is a symbolic link is never followed', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  await store.create(ID, OLD)
  const other = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e40'
  writeFileSync(join(root, 'outside.json'), OLD)
  symlinkSync(join(root, 'outside.json'), join(root, '.handoffs/records', `${other}.json`))

  const found = await store.read(other)

  assert.equal(found?.kind === 'broken' && found.problem.reason, 'not_a_file')
})

test('a store folder that is a link out of the project is never written through', async (t) => {
  const outside = storeOn(t, realDisk).root
  const { store, root } = storeOn(t, realDisk)
  symlinkSync(outside, join(root, '.handoffs'))

  await assert.rejects(store.create(ID, OLD), { code: 'unavailable', reason: 'store_unwritable' })
  assert.deepEqual(readdirSync(outside), [])
})

test('a read-only store is unavailable and keeps its bytes', {
  skip: process.getuid?.() === 0 && 'root may write anywhere',
}, async (t) => {
  const { store, root } = storeOn(t, realDisk)
  await store.create(ID, OLD)
  const folder = join(root, '.handoffs/records')
  chmodSync(folder, 0o500)
  t.after(() => chmodSync(folder, 0o700))

  await assert.rejects(
    store.update(ID, undefined, () => NEW),
    { reason: 'store_unwritable' },
  )
})
