import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { PassKey } from '../plugins/workspace/connection/replica-pass.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './harness/index.ts'
import { listening } from './harness/listening.ts'
import type { PostgresServer, RunningServer } from './postgres-server.ts'
import { newReplica, type Place, type Replica } from './replicas.ts'
import { runSatchel } from './satchel-process.ts'

export const ROOM = 'shop:plan.md'
const SETTINGS = 'workspace: { file: plan.md, database: shop }\n'

export interface Event {
  readonly event_id: number
  readonly event_type: string
}

/** An answer of a room over HTTP. */
export interface RoomAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the answers of many tools
  readonly json: any
}

/** Calls a route of the room at a server, with a session or without. */
export async function callRoom(
  address: string,
  method: string,
  path: string,
  {
    token,
    body,
    signal,
  }: { readonly token?: string; readonly body?: object; readonly signal?: AbortSignal } = {},
): Promise<RoomAnswer> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const answer = await response.text()
  return { status: response.status, json: answer.startsWith('{') ? JSON.parse(answer) : answer }
}

/**
 * Machines with an address of their own (127.0.0.2 and on), a folder, a home and a copy of the document, which share one room
 * of the database. The first one has it; none knows another but by the database.
 */
export async function openRoomTeam(
  t: TestContext,
  server: PostgresServer,
  places: readonly Partial<Place>[],
) {
  const env = { SATCHEL_STORAGE_URL: server.url }
  assert.equal((await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], env)).code, 0)
  const port = await freePort()
  const machines = await Promise.all(
    places.map((place, n) => {
      const at = { host: `127.0.0.${n + 2}`, port, ...place }
      return newReplica(t, at.host, server.url, SETTINGS, at)
    }),
  )
  for (const machine of machines) {
    writeFileSync(join(machine.project, 'plan.md'), '# Plan\n')
    await machine.start()
  }
  return machines
}

/** Exit codes of `conflict` and `unavailable`: on a busy machine a lease ends and the room passes to another owner. */
const IN_PASSING: readonly number[] = [5, 7]

/** An invitation, made on the machine that has the room; asked for again while the room passes to another. */
export async function inviteAt(
  machine: Replica | (() => Replica),
  { url }: { readonly url: string },
  capabilities?: string,
): Promise<string> {
  const wish = capabilities === undefined ? [] : ['--capabilities', capabilities]
  for (;;) {
    const { project } = typeof machine === 'function' ? machine() : machine
    const { code, out, err } = await runSatchel(
      project,
      ['workspace', 'invite', '--room', 'plan.md', '--json', ...wish],
      { SATCHEL_STORAGE_URL: url },
    )
    if (code === 0) return JSON.parse(out).uri
    assert.ok(IN_PASSING.includes(Number(code)), `${code}: ${out}${err}`)
    await wait(50)
  }
}

/** Joins at any machine, again while the room has no owner; gives the token. */
export async function joinAt({ address }: Replica, invite: string, name: string): Promise<string> {
  for (;;) {
    const { status, json } = await callRoom(address, 'POST', '/session/join', { body: { invite, name } })
    if (status === 200) return json.token
    assert.equal(status, 503, JSON.stringify(json))
    await wait(50)
  }
}

/** Which machine has the room, by the database. */
export function ownerOf(server: RunningServer, machines: readonly Replica[]): Replica | undefined {
  const url = server.sql(
    `select url from satchel.rooms where name = '${ROOM}' and lease_until > clock_timestamp()`,
  )
  return machines.find(({ address }) => address === url)
}

/** A reader of the event stream, with the events that it got so far. */
export async function readEvents(t: TestContext, { address }: Replica, token: string, since: number) {
  const stop = new AbortController()
  t.after(() => stop.abort())
  const response = await fetch(`${address}/workspace/observe?since_event_id=${since}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  })
  const events: Event[] = []
  const told: string[] = []
  const ended = (async () => {
    let rest = ''
    const chunks = response.body?.pipeThrough(new TextDecoderStream()) ?? []
    for await (const chunk of chunks) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (block.startsWith('event: resync')) told.push('resync')
        else if (data !== undefined) events.push(JSON.parse(data))
      }
    }
  })().catch(() => undefined) // cut, which is one way to end
  /** Resolves when this many commits were told. */
  const commits = async (count: number): Promise<void> => {
    while (events.filter(({ event_type }) => event_type === 'change.committed').length < count) await wait(10)
  }
  return { status: response.status, events, told, ended, commits, stop: () => stop.abort() }
}

/** The key of the passes at the present owner, as another server of the database finds it. */
export function passKeyOf(server: PostgresServer): PassKey {
  const row = server.sql(`select owner, encode(pass_key, 'hex') from satchel.rooms where name = '${ROOM}'`)
  const [fence = '', key = ''] = row.split('|')
  return { fence, key: Buffer.from(key, 'hex'), nowMs: () => Date.now() }
}

/** Lets an owner outside of the test hold the room, with this address. */
export function hold(server: PostgresServer, url: string): void {
  const holder = JSON.stringify({ host: 'far-away', pid: 1, rank: 'listener', socket: '/nowhere', n: 1 })
  server.sql(`update satchel.rooms set owner = gen_random_uuid(), lease_until = 'infinity', holder = '${holder}',
    url = '${url}', pass_key = decode(repeat('ab', 32), 'hex') where name = '${ROOM}'`)
}

/** An owner that knows a session with `read` for each token, and leads every other request astray. */
export async function openHostileOwner(t: TestContext) {
  const asked: { path: string; headers: IncomingHttpHeaders; body: string }[] = []
  let led = 0
  const trap = createServer((_, response) => {
    led += 1
    response.end('{}')
  })
  const { url: trapUrl } = await listening(t, trap)
  const owner = createServer(async (request, response) => {
    asked.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
    const answers: Readonly<Record<string, object>> = {
      '/replica/ping': { protocol: { name: 'satchel-room', major: 1 } },
      '/replica/session': {
        session: { session_id: 'ssn_0000000000000001', capabilities: ['read', 'observe'] },
      },
    }
    const answer = answers[request.url ?? '']
    if (answer)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    response.writeHead(307, { location: `${trapUrl}/workspace/status` }).end('{}')
  })
  const { url } = await listening(t, owner, '127.0.0.9')
  const close = (): void => {
    for (const each of [trap, owner]) {
      each.close()
      each.closeAllConnections()
    }
  }
  return { address: url, asked, ledAstray: () => led, close }
}
