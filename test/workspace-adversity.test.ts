import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './harness/index.ts'
import { killed } from './harness/killed.ts'
import { undoAfter } from './harness/undo.ts'
import { ordinaryUserOf } from './ordinary-user.ts'
import { BUILT } from './workspace-process.ts'
import { type Answer, askOnce } from './workspace-server-fixture.ts'

/** What happens to a machine while a room is open on it. */

const OPEN = ['--json', '--owner-port', '0', '--ingress-port', '0'] as const
const LATE_MS = 60_000
/** A member is answered 600 times in a minute. */
const LOOK_EVERY_MS = 250
const DAY_MS = 24 * 3_600_000
const CLOCK = join(import.meta.dirname, 'fixtures/clock-set-back.mjs')

interface Served {
  readonly child: ChildProcess
  get(path: string): Promise<Record<string, unknown>>
  post(path: string, body: object): Promise<Answer>
  /** Commits a text on top of the newest version. */
  commit(content: string): Promise<Answer>
  /** Returns when the status shows this state of the file. */
  untilFileIs(substrate: string): Promise<void>
}

interface Running extends SpawnOptions {
  /** As this process sees it. */
  readonly fileFrom: (child: ChildProcess) => string
}

/** A room in a process of its own, and a member who may do everything. */
async function serve(
  t: TestContext,
  [program, ...argv]: readonly string[],
  { fileFrom, ...options }: Running,
): Promise<Served> {
  const child = spawn(program ?? '', argv, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  undoAfter(t, () => killed(child))
  if (!child.stdout) throw new TypeError('the pipe of a child is there')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { ingress } = JSON.parse(String(line)) as { ingress: string }
  const socket = join(fileFrom(child), '../.plan.md.satchel/owner.sock')
  const invited = await askOnce(socket, 'POST', '/local/invite', { body: { capabilities: ['*'] } })
  const body = { invite: invited.json['uri'], name: 'ada' }
  const joined = await askOnce(ingress, 'POST', '/session/join', { body })
  const token = String(joined.json['token'])
  const get = async (path: string) => (await askOnce(ingress, 'GET', `/workspace/${path}`, { token })).json
  const post = (path: string, input: object) =>
    askOnce(ingress, 'POST', `/workspace/${path}`, { token, body: input })
  return {
    child,
    get,
    post,
    async commit(content) {
      const { version } = await get('status')
      const proposed = await post('propose', { base_version: version, summary: 'a change', content })
      if (proposed.status >= 300) return proposed
      const { proposal_id } = proposed.json
      await post('proposal/review', { proposal_id, approve: true })
      return post('commit', { proposal_id })
    },
    async untilFileIs(substrate) {
      const late = performance.now() + LATE_MS
      for (;;) {
        const seen = (await get('status'))['substrate']
        if (seen === substrate) return
        assert.ok(performance.now() < late, `the file stays ${seen}`)
        await pause(LOOK_EVERY_MS)
      }
    },
  }
}

/** The room of a user to whom permissions apply. */
async function serveOrdinary(t: TestContext, file: string, preload?: string): Promise<Served> {
  writeFileSync(file, '# Plan\n')
  const anHourAgo = new Date(Date.now() - 3_600_000)
  utimesSync(file, anHourAgo, anHourAgo)
  const folder = join(file, '..')
  // A copy: that user may be unable to reach the checkout.
  if (preload !== undefined) copyFileSync(preload, join(folder, basename(preload)))
  const user = await ordinaryUserOf(t, folder)
  const options = [
    user.env['NODE_OPTIONS'] ?? process.env['NODE_OPTIONS'],
    preload && `--import=${pathToFileURL(join(folder, basename(preload)))}`,
  ]
  const NODE_OPTIONS = options.filter((one) => one !== undefined).join(' ')
  return serve(t, [...user.program, 'workspace', 'open', file, ...OPEN], {
    ...user.options,
    cwd: folder,
    env: { ...process.env, HOME: folder, ...user.env, NODE_OPTIONS },
    fileFrom: () => file,
  })
}

test('permissions of the document change while its room is open: it is read again as soon as it may be', async (t) => {
  const file = join(await temporaryFolder(t), 'plan.md')
  const room = await serveOrdinary(t, file)

  chmodSync(file, 0o000)
  await room.untilFileIs('invalid')
  const refused = await room.commit('# Over it\n')
  const unread = await room.get('status')
  chmodSync(file, 0o640)
  await room.untilFileIs('ok')
  const later = await room.commit('# Later\n')
  chmodSync(file, 0o444)
  const readOnly = await room.commit('# Read-only\n')

  assert.deepEqual([refused.status, refused.json['reason']], [409, 'substrate_invalid'])
  assert.deepEqual([unread['version'], unread['substrate']], [1, 'invalid'])
  assert.deepEqual([later.status, later.json['version']], [200, 2])
  // A commit replaces the file, which takes no permission on the file itself; the replacement has its mode.
  assert.deepEqual([readOnly.status, readFileSync(file, 'utf8')], [200, '# Read-only\n'])
  assert.equal(statSync(file).mode & 0o777, 0o444)
})

test('the folder of the document becomes read-only: what is stored reaches the file as soon as it may', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'plan.md')
  const room = await serveOrdinary(t, file)

  chmodSync(folder, 0o500)
  const stored = await room.commit('# Stored\n')
  const kept = readFileSync(file, 'utf8')
  const proposed = await room.post('propose', { base_version: 2, summary: 's', content: '# Next\n' })
  chmodSync(folder, 0o700)
  const next = await room.commit('# Later\n')

  assert.deepEqual([stored.status, stored.json['reason']], [503, 'store_unavailable'])
  assert.match(String(stored.json['detail']), /Version 2 is stored/)
  assert.equal(kept, '# Plan\n')
  assert.equal(proposed.status, 200)
  assert.deepEqual([next.status, readFileSync(file, 'utf8')], [200, '# Later\n'])
})

test('the clock is set back by a day while the room is open: leases and changes go on, and events stay in order', async (t) => {
  const file = join(await temporaryFolder(t), 'plan.md')
  const room = await serveOrdinary(t, file, CLOCK)
  const leased = await room.post('checkout', { target: '*' })

  room.child.kill('SIGUSR2')
  const committed = await room.commit('# After\n')
  const status = await room.get('status')
  const { events } = await room.get('events?since_event_id=0')

  assert.equal(committed.status, 200)
  assert.deepEqual(status['counts'], { pending_proposals: 0, active_leases: 1, participants: 2 })
  const times = (events as { created_at: string }[]).map(({ created_at }) => created_at)
  assert.deepEqual(times, times.toSorted())
  const span = Date.parse(String(leased.json['expires_at'])) - Date.parse(times.at(-1) ?? '')
  assert.ok(span > 0 && span < DAY_MS, `the lease ends ${span} ms after the newest event`)
})

/** The folder is on a small disk of its own, which only this process sees. */
const SMALL_DISK = `
mount -t tmpfs -o size=2m tmpfs "$DIR"
echo '# Plan' > "$DIR/plan.md"
exec "$@"
`

test('the disk of the room becomes full: changes are refused, looking goes on, and the next one works once there is room', async (t) => {
  if (spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0) {
    t.skip('NOT RUN: this system has no small disk (unshare, tmpfs)')
    return
  }
  const dir = await temporaryFolder(t)
  const run = [process.execPath, ...BUILT, 'workspace', 'open', join(dir, 'plan.md'), ...OPEN]
  const room = await serve(t, ['unshare', '-rm', 'sh', '-eu', '-c', SMALL_DISK, 'sh', ...run], {
    env: { ...process.env, DIR: dir },
    fileFrom: ({ pid }) => join(`/proc/${pid}/root`, dir, 'plan.md'),
  })
  const inside = join(`/proc/${room.child.pid}/root`, dir)
  const long = `# Long\n\n${'a line of the plan\n'.repeat(3000)}`
  const before = await room.commit(long)

  fill(join(inside, 'fill'))
  const refused = await room.commit(`${long}more\n`)
  const looked = await room.get('status')
  const kept = readFileSync(join(inside, 'plan.md'), 'utf8')
  rmSync(join(inside, 'fill'))
  const after = await room.commit(`${long}after\n`)
  const events = (await room.get('events?since_event_id=0'))['events'] as { event_id: number }[]

  assert.equal(before.status, 200)
  assert.deepEqual([refused.status, refused.json['reason']], [503, 'store_unavailable'])
  assert.deepEqual([looked['version'], looked['substrate'], kept], [2, 'ok', long])
  assert.deepEqual([after.status, after.json['version']], [200, 3])
  assert.equal(readFileSync(join(inside, 'plan.md'), 'utf8'), `${long}after\n`)
  assert.deepEqual(
    events.map(({ event_id }) => event_id),
    events.map((_, at) => (events[0]?.event_id ?? 0) + at),
  )
})

/** Takes all space that is left. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  const pages = Buffer.alloc(4096)
  try {
    for (;;) writeSync(file, pages)
  } catch (thrown) {
    assert.equal((thrown as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    closeSync(file)
  }
}
