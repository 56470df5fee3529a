import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from './harness/index.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { newReplica, type Replica } from './replicas.ts'
import { callRoom, ROOM } from './room-replicas.ts'
import { KEPT_CODE, runSatchel, SATCHEL } from './satchel-process.ts'
import { type RoomProcess, spawnRoomProcess } from './workspace-process.ts'

const SETTINGS = 'workspace: { file: plan.md, database: shop }\n'

/** A machine with a copy of the document; its server is not started, and would announce its address. */
async function newMachine(t: TestContext, server: PostgresServer, host: string): Promise<Replica> {
  const machine = await newReplica(t, host, server.url, SETTINGS, { host })
  writeFileSync(join(machine.project, 'plan.md'), '# Plan\n')
  return machine
}

async function migratedServer(t: TestContext): Promise<PostgresServer | undefined> {
  const server = await startPostgres(t)
  if (!server) return undefined
  const env = { SATCHEL_STORAGE_URL: server.url }
  assert.equal((await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], env)).code, 0)
  return server
}

function stdioAt(t: TestContext, { project }: Replica, { url }: PostgresServer, name: string): RoomProcess {
  return spawnRoomProcess(t, { name, args: [], cwd: project, env: { SATCHEL_STORAGE_URL: url } })
}

/** Processes that own a room and announce no address. */
const OWNERS: Readonly<
  Record<string, (t: TestContext, machine: Replica, server: PostgresServer) => Promise<void>>
> = {
  async 'a process over stdio'(t, machine, server) {
    assert.equal((await stdioAt(t, machine, server, 'ada').call('workspace_status', {}))['version'], 1)
  },
  async 'satchel workspace open'(t, { project }, { url }) {
    const [program, ...words] = SATCHEL
    const args = ['workspace', 'open', 'plan.md', '--owner-port', '0', '--ingress-port', '0', '--json']
    const env = { PATH: String(process.env['PATH']), HOME: project, ...KEPT_CODE, SATCHEL_STORAGE_URL: url }
    const opened = spawn(program, [...words, ...args], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => opened.kill('SIGKILL'))
    await once(opened.stdout, 'data')
  },
}

for (const [owner, open] of Object.entries(OWNERS)) {
  test(`a room that ${owner} has is refused at other machines, with what to do`, async (t) => {
    const server = await migratedServer(t)
    if (!server) return
    const [one, two, three] = await Promise.all(
      ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((host) => newMachine(t, server, host)),
    )
    assert.ok(one && two && three)
    await open(t, one, server)
    const far = JSON.stringify({ host: 'far-away', socket: '/nowhere' })
    server.sql(`update satchel.rooms set holder = (holder::jsonb || '${far}')::text where name = '${ROOM}'`)

    await two.start()
    const body = { invite: 'any', name: 'bob' }
    const [joined, local] = await Promise.all([
      callRoom(two.address, 'POST', '/session/join', { body }),
      stdioAt(t, three, server, 'eve').send('tools/call', { name: 'workspace_status', arguments: {} }),
    ])

    assert.deepEqual([joined.status, joined.json.reason], [409, 'room_locked'])
    for (const told of [JSON.stringify(joined.json), JSON.stringify(local)]) {
      assert.match(told, /The host far-away owns this room, and announces no address for other servers\./)
      assert.match(told, /Use the room there, or close it there first\./)
      assert.match(told, /a satchel serve with workspace\.replica_url/)
    }
    assert.equal(local['isError'], true)
  })
}

test('a process over stdio joins a room that a server of another machine has', async (t) => {
  const server = await migratedServer(t)
  if (!server) return
  const [one, two] = await Promise.all(['127.0.0.2', '127.0.0.3'].map((host) => newMachine(t, server, host)))
  assert.ok(one && two)
  await one.start()
  const agent = stdioAt(t, two, server, 'ada')

  const status = await agent.call('workspace_status', {})
  const refused = await callRoom(one.address, 'POST', '/replica/join', { body: { name: 'eve' } })

  assert.equal(status['version'], 1)
  assert.match(JSON.stringify(status), /"ada"/)
  assert.equal(refused.status, 401)
})
