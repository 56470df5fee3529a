import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Joined } from '../../../plugins/workspace/room/members.ts'
import { type Answer, type Connection, openConnection } from '../../room/connection.ts'
import type { ServedRoom } from '../../room/served-room.ts'
import type { Chance } from '../chance.ts'

/** What visits share. */
export interface Visiting {
  readonly room: ServedRoom
  /** Tokens of those who review and who send away; taken in turns, because each may make 600 calls a minute. */
  hostToken(): string
  readonly chance: Chance
}

const PROTOCOL = '2026-07-28'
const RESOURCES = ['status', 'document', 'proposals', 'leases', 'participants'] as const
/** Ordinary refusals of a busy room: stale, taken, removed, too many. */
const REFUSALS: ReadonlySet<number> = new Set([404, 409, 429])

/**
 * One visit: a participant joins, follows events and hints, proposes, commits, takes a lease and leaves, properly or
 * not. Errors: an answer that is neither done nor an ordinary refusal.
 */
export async function visit(visiting: Visiting): Promise<void> {
  const { room, chance } = visiting
  const joined = await room.join('visitor', ['read', 'observe', 'propose', 'checkout', 'commit'])
  for (let losses = chance.below(3); losses > 0; losses -= 1) {
    // The connection breaks, and the visitor comes back with its session.
    await connected(room, (connection) => takePart(visiting, connection, joined))
  }
  await connected(room, async (connection) => {
    await takePart(visiting, connection, joined)
    await goAway(visiting, connection, joined)
  })
}

async function connected(room: ServedRoom, work: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = openConnection(room.ingress)
  try {
    await work(connection)
  } finally {
    connection.cutOff()
  }
}

const DOINGS = [changeDocument, holdLease, catchUp] as const

async function takePart(visiting: Visiting, connection: Connection, joined: Joined): Promise<void> {
  const { chance } = visiting
  await follow(connection, joined, chance)
  for (let steps = 1 + chance.below(3); steps > 0; steps -= 1) {
    await DOINGS[chance.below(DOINGS.length)]?.(visiting, connection, joined)
  }
}

async function follow(connection: Connection, { token }: Joined, chance: Chance): Promise<void> {
  await connection.stream({ method: 'GET', path: '/workspace/observe', token })
  const uri = `satchel://workspace/${RESOURCES[chance.below(RESOURCES.length)]}`
  accept(await connection.ask(modern(token, 'resources/subscribe', { uri })))
  const headers = { accept: 'text/event-stream', 'mcp-protocol-version': PROTOCOL }
  await connection.stream({ method: 'GET', path: '/mcp', token, headers })
  const notifications = { resourceSubscriptions: [uri] }
  await connection.stream(modern(token, 'subscriptions/listen', { notifications }))
}

async function changeDocument({ hostToken }: Visiting, connection: Connection, { token }: Joined) {
  const post = (path: string, body: object, by = token): Promise<Answer> =>
    connection.ask({ method: 'POST', path: `/workspace${path}`, token: by, body })
  const { body: status } = accept(await connection.ask({ method: 'GET', path: '/workspace/status', token }))
  const base_version = Number(status['version'])
  const draft = { base_version, summary: 'a visit', content: `# Plan\n\nafter version ${base_version}\n` }
  const proposed = accept(await post('/propose', draft))
  if (proposed.status !== 200) return
  const { proposal_id } = proposed.body
  accept(await post('/proposal/review', { proposal_id, approve: true }, hostToken()))
  accept(await post('/commit', { proposal_id }))
}

async function holdLease({ chance }: Visiting, connection: Connection, { token }: Joined): Promise<void> {
  const post = (path: string, body: object): Promise<Answer> =>
    connection.ask({ method: 'POST', path: `/workspace${path}`, token, body })
  const { status, body } = accept(await post('/checkout', { target: 'section:Plan' }))
  if (status === 200 && chance.maybe(0.7)) accept(await post('/release', { lease_id: body['lease_id'] }))
}

async function catchUp(_: Visiting, connection: Connection, { token }: Joined): Promise<void> {
  const { body } = accept(
    await connection.ask(
      modern(token, 'tools/call', { name: 'workspace_changes', arguments: { since_event_id: 0 } }),
    ),
  )
  if (body['result'] === undefined) throw new Error(`workspace_changes: ${JSON.stringify(body)}`)
}

const WAYS = [
  'leaves',
  'ends its session',
  'is sent away',
  'is cut off',
  'is cut off in mid-sentence',
] as const

/** A way out; of those who go without a word the host takes leave for them. */
async function goAway({ room, hostToken, chance }: Visiting, connection: Connection, joined: Joined) {
  const { token, participant_id, session_id } = joined
  const way = WAYS[chance.below(WAYS.length)]
  if (way === 'leaves') {
    accept(await connection.ask({ method: 'POST', path: '/workspace/leave', token, body: {} }))
    return
  }
  if (way === 'is cut off in mid-sentence') await startCall(room, token)
  if (way?.startsWith('is cut off')) connection.cutOff()
  await connected(room, async (host) => {
    if (way === 'ends its session') {
      const path = `/workspace/sessions/${session_id}`
      accept(await host.ask({ method: 'DELETE', path, token: hostToken() }))
    }
    const body = { participant_id }
    accept(await host.ask({ method: 'POST', path: '/workspace/leave', token: hostToken(), body }))
  })
}

/** Sends half of a call and hangs up. */
async function startCall({ ingress }: ServedRoom, token: string): Promise<void> {
  const { port, hostname } = new URL(ingress)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const head = [
    'POST /workspace/propose HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token}`,
  ]
  const told = [...head, 'Content-Type: application/json', 'Content-Length: 1000', '', '{"summary":'].join(
    '\r\n',
  )
  await new Promise<void>((resolve) => socket.write(told, () => resolve()))
  await pause(5)
  socket.destroy()
}

function modern(token: string, method: string, params: Readonly<Record<string, unknown>>) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL,
    'io.modelcontextprotocol/clientInfo': { name: 'visitor', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const name = params['name']
  return {
    method: 'POST',
    path: '/mcp',
    token,
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
  } as const
}

function accept(answer: Answer): Answer {
  if (answer.status < 300 || REFUSALS.has(answer.status)) return answer
  throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
}
