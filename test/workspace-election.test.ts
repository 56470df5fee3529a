import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runningOwner } from '../plugins/workspace/commands/target.ts'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import type { RoomEvent } from '../plugins/workspace/domain/event.ts'
import { roomPlace } from '../plugins/workspace/engine/open-room.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { type Disk, realDisk } from '../server/platform/disk.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { until } from './harness/until.ts'
import { BUILT, ownerPid, spawnRoomProcess } from './workspace-process.ts'
import { listenerOf, openRoomServer } from './workspace-server-fixture.ts'
import { roomFile, stdioHost } from './workspace-stdio-host.ts'

const propose = (n: number) => ({ base_version: 1, summary: `${n}`, content: 'c' })

test('nothing is touched before the first real room call', async (t) => {
  const file = await roomFile(t)
  const { host } = await stdioHost(t, file)

  assert.deepEqual(await readdir(join(file, '..')), ['plan.md'])
  await host.stop()
  assert.deepEqual(await readdir(join(file, '..')), ['plan.md'])
})

test('completing a target opens no room, and names the sections of one that is open', async (t) => {
  const file = await roomFile(t)
  const { host, context, call } = await stdioHost(t, file)
  const prompt = host.registry.prompts.find((owned) => owned.prompt.name === 'propose-change')?.prompt
  const target = prompt?.arguments?.find(({ name }) => name === 'target')
  const complete = () => target?.complete?.(context({ localTransport: 'stdio' }), 'section:')

  const before = await complete()
  const files = await readdir(join(file, '..'))
  await call('workspace_status')
  const after = await complete()

  assert.deepEqual([before, files], [[], ['plan.md']])
  assert.deepEqual(after, ['section:Plan'])
})

test('the first process owns the room, the others reach it, each as a participant of its own', async (t) => {
  const file = await roomFile(t)
  const hosts = await Promise.all([stdioHost(t, file), stdioHost(t, file), stdioHost(t, file)])

  const statuses = await Promise.all(hosts.map(({ call }) => call('workspace_status')))
  await Promise.all(
    hosts.flatMap(({ call }, n) => [
      call('workspace_propose', propose(n)),
      call('workspace_propose', propose(n)),
    ]),
  )
  const listed = await hosts[1]?.call('workspace_proposals')

  const names = statuses.map((status) => (status['you'] as { name: string }).name)
  assert.deepEqual(names.sort(), ['robot', 'robot-2', 'robot-3'])
  assert.equal(new Set(statuses.map((status) => status['instance_id'])).size, 1)
  assert.equal((listed?.['proposals'] as unknown[] | undefined)?.length, 6)
})

test('opening the room takes it over from a stdio owner without a failed call, and a second opening is refused', async (t) => {
  const file = await roomFile(t)
  const agent = await stdioHost(t, file)
  await agent.call('workspace_status')
  let failed = 0
  let going = true
  t.after(() => {
    going = false
  })
  const busy = (async () => {
    for (let n = 0; going; n += 1) {
      try {
        // Taken back: a participant may have 100 pending ones. Paced: it may call 600 times a minute.
        const { proposal_id } = await agent.call('workspace_propose', propose(n))
        await pause(25)
        await agent.call('workspace_withdraw', { proposal_id })
      } catch (thrown) {
        failed += 1
        t.diagnostic(String(thrown))
      }
      await pause(25)
    }
  })()

  const server = await openRoomServer(t, { file })
  await agent.call('workspace_propose', propose(1000))
  going = false
  await busy
  const admin = await server.join('admin', ['*'])
  const events = (
    await server.ask(server.ingress, 'GET', '/workspace/events?since_event_id=0&limit=200', {
      token: admin.token,
    })
  ).json
  const types = (events['events'] as { event_type: string }[]).map(({ event_type }) => event_type)

  assert.equal(failed, 0)
  assert.equal(types.filter((type) => type === 'workspace.stopped').length, 1)
  assert.equal(types.filter((type) => type === 'workspace.started').length, 2)
  await assert.rejects(openRoomServer(t, { file }), { code: 'conflict', reason: 'room_locked' })
})

test('a stdio owner that yields refuses who asks it meanwhile, keeps its own calls, and is not the owner again', async (t) => {
  const file = await roomFile(t)
  let release = (): void => {}
  let held: Promise<void> | undefined
  const disk: Disk = {
    ...realDisk,
    rename: async (from, to) => {
      if (to.endsWith('room.db')) await held // the checkpoint of its close
      return realDisk.rename(from, to)
    },
  }
  const opened = await openHost(t, {
    plugins: [{ plugin: workspacePlugin({ ...realWorld, engine: { disk } }), settings: { file } }],
    openListener: listenerOf({ after: () => () => {} }), // calls that wait for the room at its socket are never cut
  })
  const status = () => opened.call('workspace_status', {}, { localTransport: 'stdio' })
  const before = await status()
  held = new Promise((done) => {
    release = done
  })
  t.after(() => release())
  const isRefusedPing = (line: string): boolean => {
    const { path, status } = JSON.parse(line) as { path?: string; status?: number }
    return path === '/local/ping' && status === 503
  }

  const opening = openRoomServer(t, { file })
  await until(() => opened.logged.some(isRefusedPing))
  const own = status()
  release()
  const server = await opening
  const after = await own
  const admin = await server.join('admin', ['*'])
  const path = '/workspace/events?since_event_id=0&limit=200'
  const { json } = await server.ask(server.ingress, 'GET', path, { token: admin.token })

  const lives = (json['events'] as RoomEvent[])
    .map(({ event_type }) => event_type)
    .filter((type) => type.startsWith('workspace.'))
  assert.deepEqual(lives, [
    'workspace.created',
    'workspace.started',
    'workspace.stopped',
    'workspace.started',
  ])
  assert.notEqual(after['instance_id'], before['instance_id'])
})

test('a copy of the folder of an open room is a room of its own: nothing asked there reaches the first one', async (t) => {
  const server = await openRoomServer(t)
  const copy = join(await temporaryFolder(t), 'copy')
  await cp(dirname(server.file), copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  const file = join(copy, 'plan.md')
  const { call } = await stdioHost(t, file, { as: 'owner' })
  const before = await readFile(server.file, 'utf8')

  const ownerBefore = await runningOwner(roomPlace(file, {}))
  await call('workspace_commit', { base_version: 1, content: 'c', summary: 's' })

  assert.equal(ownerBefore, undefined)
  assert.deepEqual([await readFile(file, 'utf8'), await readFile(server.file, 'utf8')], ['c', before])
  assert.ok(await runningOwner(roomPlace(server.file, {})))
})

test('a process that stops leaves the room', async (t) => {
  const file = await roomFile(t)
  const first = await stdioHost(t, file)
  await first.call('workspace_status')
  const second = await stdioHost(t, file)
  await second.call('workspace_status')

  await second.host.stop()

  const { participants } = (await first.call('workspace_participants')) as {
    participants: { name: string }[]
  }
  assert.deepEqual(
    participants.map(({ name }) => name),
    ['robot'],
  )
})

const spawnClient = (t: TestContext, file: string, name: string) =>
  spawnRoomProcess(t, { name, args: ['--room', file] })

test('a stdio server started twice, one of them killed, leaves one owner and no participant without a call', async (t) => {
  const file = await roomFile(t)
  const twins = [spawnClient(t, file, 'a'), spawnClient(t, file, 'a')]
  twins[0]?.child.kill('SIGKILL')

  const status = await twins[1]?.call('workspace_status', {})

  assert.equal(Object(status?.['counts']).participants, 1)
  assert.ok(existsSync(join(file, '..', '.plan.md.satchel', 'owner.sock')))
})

const CLIENTS = 10 // design workspace, section 12

const CALLERS = 3

test('ten stdio servers started twice, one of each killed: one owner, no participant without a call; and the owner killed, the room is recovered once', async (t) => {
  const file = await roomFile(t)
  const spawned = (name: string) =>
    spawnRoomProcess(t, { name, args: ['--room', file, '--profile', 'full'], program: BUILT })
  const twins = Array.from({ length: CLIENTS }, (_, n) => [spawned(`c${n}`), spawned(`c${n}`)] as const)
  for (const [first] of twins) first.child.kill('SIGKILL')
  const clients = twins.map(([, second]) => second)
  const callers = clients.slice(0, CALLERS)

  await Promise.all(clients.map((client) => client.send('tools/list', {})))
  const statuses = await Promise.all(callers.map((client) => client.call('workspace_status', {})))
  const after = await callers[0]?.call('workspace_status', {})
  const owner = ownerPid(roomPlace(file, {}).sidecar)
  process.kill(owner, 'SIGKILL')
  const survivor = callers.find(({ child }) => child.pid !== owner)
  const told = (await survivor?.call('workspace_events', { since_event_id: 0 })) as { events: RoomEvent[] }

  assert.equal(new Set(statuses.map((status) => status['instance_id'])).size, 1)
  assert.equal(Object(after?.['counts']).participants, CALLERS)
  assert.deepEqual(
    told.events
      .filter(({ event_type }) => event_type.startsWith('workspace.'))
      .map(({ event_type, payload }) => [event_type, payload['status']]),
    [
      ['workspace.created', undefined],
      ['workspace.started', undefined],
      ['workspace.started', 'recovered'],
    ],
  )
  assert.equal(told.events.filter(({ event_type }) => event_type === 'participant.joined').length, CALLERS)
})
