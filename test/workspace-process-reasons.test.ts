import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { markDatabaseRoom } from '../plugins/workspace/engine/database-mark.ts'
import { roomPlace } from '../plugins/workspace/engine/open-room.ts'
import { systemSurroundings } from '../plugins/workspace/engine/room-lock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { refusals } from '../plugins/workspace/reasons.ts'
import { startCli } from '../server/cli/testing/run-cli.ts'
import type { RefusalRow } from '../server/contract/refusals.ts'
import { ERROR_TABLE } from '../server/error-table.ts'
import { modern } from '../server/mcp/testing/messages.ts'
import { openStdio } from '../server/mcp/testing/stdio-client.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { askOnce, listenerOf, openRoomServer } from './workspace-server-fixture.ts'

/** Reasons of the process around a room: what keeps it from being reached at all. */

interface Refused {
  readonly code: unknown
  readonly reason: unknown
  readonly details: unknown
}

type Document = Readonly<Record<string, unknown>>
type Env = Readonly<Record<string, string>>

const refusedBy = ({ code, reason, details }: Document): Refused => ({ code, reason, details: details ?? {} })

async function hostOn(t: TestContext, settings: Document, env: Env = {}) {
  const { host } = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(realWorld), settings }],
    openListener: listenerOf({}),
    env,
  })
  return host
}

/** `satchel mcp --room FILE`, or with other settings, asked for the status. */
async function overMcp(t: TestContext, settings: Document, env: Env = {}): Promise<Refused> {
  const client = openStdio(t, await hostOn(t, settings, { HOME: await temporaryFolder(t), ...env }))
  client.send(modern(1, 'tools/call', { name: 'workspace_status', arguments: {} }))
  const answer = await client.answer(1)
  const { structuredContent } = answer['result'] as { structuredContent: { error: Document } }
  return refusedBy(structuredContent.error)
}

/** `satchel serve` with this room configured, asked for the status with a token. */
async function overRest(t: TestContext, file: string, env: Env = {}): Promise<Refused> {
  const host = await hostOn(t, { file }, env)
  const at = { host: '127.0.0.1', port: 0 }
  const api = await listenerOf({})(host, { name: 'api', at, mcp: true })
  t.after(() => api.close())
  const { status, json } = await askOnce(api.address, 'GET', '/workspace/status', { token: 'ses_somebody' })
  assert.equal(status, ERROR_TABLE[json['code'] as keyof typeof ERROR_TABLE]?.http)
  return refusedBy(json)
}

async function overCli(t: TestContext, argv: readonly string[], env: Env = {}): Promise<Refused> {
  const cwd = await temporaryFolder(t)
  const ran = await startCli(['workspace', ...argv, '--json'], { cwd, env: { HOME: cwd, ...env } }).done
  const { error } = JSON.parse(ran.out) as { error: Document }
  assert.equal(ran.code, ERROR_TABLE[error['code'] as keyof typeof ERROR_TABLE]?.exit)
  return refusedBy(error)
}

const opening = (file: string) => ['open', file, '--owner-port', '0', '--ingress-port', '0']
const calling = (file: string) => ['call', 'status', '--room', file]

/** Reason, what brings it about, and the verb that meets it. */
type Case = readonly [
  reason: string,
  prepare: (t: TestContext, folder: string) => Promise<string>,
  verb: (file: string) => readonly string[],
]

const CASES: readonly Case[] = [
  ['room_not_found', async (_, folder) => join(folder, 'missing', 'plan.md'), calling],
  ['document_not_found', async (_, folder) => join(folder, 'plan.md'), opening],
  ['substrate_invalid', (_, folder) => fileOf(folder, Buffer.from([0xff, 0xfe])), opening],
  ['unsupported_version', (t, folder) => roomWith(t, folder, newerVersion), opening],
  ['store_damaged', (t, folder) => roomWith(t, folder, () => Buffer.from('no database')), opening],
  ['room_locked', (t, folder) => lockedRoom(t, folder, { host: 'elsewhere', boot_id: 'other' }), opening],
  // A process that lives and does not answer may be recovering the room: that is waited for, 10 s.
  ['room_starting', (t, folder) => lockedRoom(t, folder, {}), opening],
  ['room_in_database', (_, folder) => markedRoom(folder), opening],
  ['protocol_mismatch', (t, folder) => strangeRoom(t, folder, anotherRelease), opening],
]

for (const [reason, prepare, verb] of CASES) {
  test(`a room that cannot be reached is refused alike over MCP, REST and the command line: ${reason}`, async (t) => {
    const file = await prepare(t, await temporaryFolder(t))

    const over = await Promise.all([overMcp(t, { file }), overRest(t, file), overCli(t, verb(file))])

    assert.equal(over[0].reason, reason, JSON.stringify(over))
    assert.deepEqual([over[1], over[2]], [over[0], over[0]])
  })
}

test('a folder for sockets that is open to others is refused alike at every door: socket_folder_unsafe', async (t) => {
  const folder = join(await temporaryFolder(t), 'x'.repeat(120)) // a socket beside such a file has no name that fits
  const runtime = await temporaryFolder(t)
  await mkdir(folder)
  await mkdir(join(runtime, `satchel-${process.getuid?.()}`))
  await chmod(join(runtime, `satchel-${process.getuid?.()}`), 0o777)
  const file = await fileOf(folder, '# Plan\n')
  const env = { XDG_RUNTIME_DIR: runtime }

  const over = await Promise.all([
    overMcp(t, { file }, env),
    overRest(t, file, env),
    overCli(t, opening(file), env),
  ])

  assert.equal(over[0].reason, 'socket_folder_unsafe', JSON.stringify(over))
  assert.deepEqual([over[1], over[2]], [over[0], over[0]])
})

test('a room in files is not opened as one of the database: room_in_files', async (t) => {
  const file = await roomWith(t, await temporaryFolder(t), (image) => image)
  const env = { SATCHEL_STORAGE_URL: 'postgres://satchel@127.0.0.1:1/satchel' } // it is refused before any call

  const { code, reason } = await overCli(t, [...opening(file), '--database', 'shop'], env)

  assert.deepEqual([code, reason], ['conflict', 'room_in_files'])
})

test('a file that cannot be made is named by the verb that was to make it: file_not_created', async (t) => {
  const file = join(await temporaryFolder(t), 'missing', 'plan.md')

  const { code, reason } = await overCli(t, [...opening(file), '--create'])

  assert.deepEqual([code, reason], ['invalid', 'file_not_created'])
})

/** Tests whose subject is what a caller is told. */
const DOOR_TESTS = ['workspace-reasons', 'workspace-process-reasons', 'workspace-verbs', 'room-replicas']

/** Reasons of the host that routes of a room give too. */
const SHARED: ReadonlySet<string> = new Set([
  'bad_request',
  'invalid_arguments',
  'origin_not_allowed',
  'media_type',
  'resource_not_found',
  'stopping',
])

/** What one server of a database says to another, which asks the next owner: `replica-access.test.ts`. */
const BETWEEN_SERVERS: ReadonlySet<string> = new Set(['room_moved'])

/** What only a page hears, which names its room with each request: `workspace-page-other-room.test.ts`. */
const OF_THE_PAGE: ReadonlySet<string> = new Set(['other_room'])

test('every reason of the room is in a test of the doors', async () => {
  const texts = await Promise.all(
    DOOR_TESTS.map((name) => readFile(join(import.meta.dirname, `${name}.test.ts`), 'utf8')),
  )

  const rows = Object.entries(refusals as Readonly<Record<string, { readonly row: RefusalRow }>>)
  const reasons = new Set(rows.map(([name, { row }]) => row.reason ?? name))
  const missing = [...reasons]
    .filter((reason) => ![SHARED, BETWEEN_SERVERS, OF_THE_PAGE].some((told) => told.has(reason)))
    .filter((reason) => !texts.some((text) => text.includes(`'${reason}'`)))

  assert.deepEqual(missing, [])
})

test('an owner that hangs up on every call is named alike over MCP and the command line: room_owner_lost', async (t) => {
  const file = await strangeRoom(t, await temporaryFolder(t), hangsUp)

  const over = await Promise.all([
    overMcp(t, { file }),
    overCli(t, calling(file)),
    overCli(t, ['invite', '--room', file]),
    overCli(t, ['owner-link', '--room', file]),
  ])

  assert.equal(over[0].reason, 'room_owner_lost', JSON.stringify(over))
  for (const each of over) assert.deepEqual(each, over[0])
})

test('an owner that is there and does not answer is not said to have ended, nor its room to be stopped', async (t) => {
  const file = await strangeRoom(t, await temporaryFolder(t), () => {})

  const over = await Promise.all([overMcp(t, { file }), overCli(t, ['status', '--room', file])])

  const lock = await readFile(join(roomPlace(file, {}).sidecar, 'lock-1'), 'utf8')
  const { pid } = JSON.parse(lock) as { pid: number }
  const silent = { code: 'unavailable', reason: 'room_owner_lost', details: { pid } }
  assert.deepEqual(over, [silent, silent])
})

test('a room elsewhere that does not answer is named alike over MCP and by every verb: transport_unavailable', async (t) => {
  const server = await openRoomServer(t)
  const { json } = await server.ask(server.socket, 'POST', '/local/invite', { body: { max_uses: 2 } })
  const invite = String(json['uri'])
  const cwd = await temporaryFolder(t)
  const verb = (...argv: string[]) =>
    startCli(['workspace', ...argv, '--json'], { cwd, env: { HOME: cwd } }).done
  assert.equal((await verb('join', invite)).code, 0)
  const connect = server.ingress
  await server.stop()

  const linked = await overMcp(t, { connect, invite })
  const ran = await Promise.all([
    verb('join', invite),
    verb('call', 'status'),
    verb('leave'),
    verb('observe'),
  ])

  assert.deepEqual([linked.code, linked.reason], ['unavailable', 'transport_unavailable'])
  for (const { code, out } of ran) {
    assert.deepEqual([code, refusedBy(JSON.parse(out).error)], [7, linked], out)
  }
})

test('an owner without a page says so alike over its socket and the command line: room_not_running', async (t) => {
  const file = await fileOf(await temporaryFolder(t), '# Plan\n')
  const client = openStdio(t, await hostOn(t, { file }))
  client.send(modern(1, 'tools/call', { name: 'workspace_status', arguments: {} }))
  await client.answer(1)

  const over = await overCli(t, ['owner-link', '--room', file])
  const asked = await askOnce(roomPlace(file, {}).socket, 'POST', '/local/owner-link', { body: {} })

  assert.deepEqual([asked.status, over.reason], [503, 'room_not_running'])
  assert.deepEqual(over, refusedBy(asked.json))
})

async function fileOf(folder: string, content: string | Buffer): Promise<string> {
  const file = join(folder, 'plan.md')
  await writeFile(file, content)
  return file
}

/** A room that was opened and closed, whose checkpoint is then changed. */
async function roomWith(t: TestContext, folder: string, change: (image: Buffer) => Buffer): Promise<string> {
  const file = await fileOf(folder, '# Plan\n')
  const host = await hostOn(t, { file })
  const client = openStdio(t, host)
  client.send(modern(1, 'tools/call', { name: 'workspace_status', arguments: {} }))
  await client.answer(1)
  await host.stop()
  const image = join(roomPlace(file, {}).sidecar, 'room.db')
  await writeFile(image, change(await readFile(image)))
  return file
}

/** SQLite keeps the version of the schema at byte 60, big endian. */
function newerVersion(image: Buffer): Buffer {
  const newer = Buffer.from(image)
  newer.writeUInt32BE(newer.readUInt32BE(60) + 1, 60)
  return newer
}

/** A room whose newest lock is that of the process that started this one, but for what is given. */
async function lockedRoom(_: TestContext, folder: string, owner: Document): Promise<string> {
  const file = await fileOf(folder, '# Plan\n')
  const { sidecar, socket } = roomPlace(file, {})
  await mkdir(sidecar, { mode: 0o700 })
  const pid = process.ppid
  const record = {
    ...systemSurroundings.self,
    pid,
    start: systemSurroundings.start(pid),
    n: 1,
    nonce: 'x',
    rank: 'stdio',
    socket,
    ...owner,
  }
  await writeFile(join(sidecar, 'lock-1'), JSON.stringify(record))
  return file
}

/** A room of the database whose owner has ended, where no database is configured. */
async function markedRoom(folder: string): Promise<string> {
  const file = await fileOf(folder, '# Plan\n')
  const { sidecar, socket } = roomPlace(file, {})
  await mkdir(sidecar, { mode: 0o700 })
  const owner = { ...systemSurroundings.self, n: 1, nonce: 'x', rank: 'stdio' as const, socket }
  await markDatabaseRoom({ sidecar }, { room: 'shop:plan.md', owner })
  return file
}

/** A room whose owner is another program: it answers at the socket in its own way. */
async function strangeRoom(t: TestContext, folder: string, answer: RequestListener): Promise<string> {
  const file = await lockedRoom(t, folder, {})
  const service = createServer(answer)
  service.listen(roomPlace(file, {}).socket)
  await once(service, 'listening')
  t.after(() => {
    service.closeAllConnections()
    service.close()
  })
  return file
}

const anotherRelease: RequestListener = (_, response) =>
  void response.end(JSON.stringify({ protocol: { name: 'satchel-room', major: 2 } }))

const hangsUp: RequestListener = ({ url, socket }, response) => {
  const answers: Document = {
    '/local/ping': { protocol: { name: 'satchel-room', major: 1 }, rank: 'listener', urls: [] },
    '/local/join': {
      token: 'ses_x',
      session_id: 'ssn_0',
      participant_id: 'par_0',
      workspace_id: 'ws_0',
      capabilities: ['read'],
    },
  }
  const answer = answers[url ?? '']
  if (answer === undefined) socket.destroy()
  else response.end(JSON.stringify(answer))
}
