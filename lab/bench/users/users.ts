import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { DoorClient, Pair } from '../host/door-client.ts'
import { isWrite, type OwnRecord, readOf, type Surroundings, writeOf } from './habits.ts'

const EVERY_MS = 1000
/** One in so many users also keeps a stream open. */
const STREAMS_SHARE = 10
const FAULTS_KEPT = 5

export interface UsersOptions {
  readonly client: DoorClient
  readonly address: string
  readonly users: number
  readonly seconds: number
  readonly around: Surroundings
  /** The record of each user; one without makes it with the first request. */
  readonly own: readonly OwnRecord[]
  readonly signal: AbortSignal
}

/** What users met; times are milliseconds from the moment at which a request was due to the end of its answer. */
export interface UsersRun {
  readonly reads: readonly number[]
  readonly writes: readonly number[]
  readonly failed: number
  /** The first faults, as text. */
  readonly faults: readonly string[]
  readonly streams: number
  /** Streams that were closed before the end. */
  readonly lostStreams: number
}

/**
 * Sends the requests of all users. A user whose answer is late sends the next request when it has come, and that request
 * too is timed from the moment at which it was due: a server that pauses cannot hide it.
 */
export async function simulateUsers(options: UsersOptions): Promise<UsersRun> {
  const { users, address, signal } = options
  const run = { reads: [] as number[], writes: [] as number[], failed: 0, faults: [] as string[] }
  const note = (kind: 'reads' | 'writes', ms: number): void => void run[kind].push(ms)
  const fail = (thrown: unknown): void => {
    run.failed += 1
    if (run.faults.length < FAULTS_KEPT) run.faults.push(String(thrown).slice(0, 300))
  }
  const streams = await Promise.all(
    Array.from({ length: Math.ceil(users / STREAMS_SHARE) }, () => openStream(`${address}/events`)),
  )
  const began = performance.now()
  await Promise.all(Array.from({ length: users }, (_, user) => live({ ...options, user, began, note, fail })))
  signal.throwIfAborted()
  const lostStreams = streams.filter((stream) => stream.isClosed()).length
  for (const stream of streams) stream.close()
  return { ...run, streams: streams.length, lostStreams }
}

interface Life extends UsersOptions {
  readonly user: number
  readonly began: number
  note(kind: 'reads' | 'writes', ms: number): void
  fail(thrown: unknown): void
}

async function live(life: Life): Promise<void> {
  const { user, users, seconds, began, around, signal, note, fail } = life
  const first = began + (user / users) * EVERY_MS
  let own = life.own[user]
  for (let request = 0; request < seconds && !signal.aborted; request++) {
    const due = first + request * EVERY_MS
    await pause(Math.max(0, due - performance.now()))
    const writes = own === undefined || isWrite(user, request)
    try {
      if (writes) own = await written(life, writeOf(user, request, own))
      else if (own) await answered(life, readOf(user, request, own, around))
      note(writes ? 'writes' : 'reads', performance.now() - due)
    } catch (thrown) {
      fail(thrown)
    }
  }
}

/** Makes the record of each user, one after the other. */
export async function makeOwnRecords(client: DoorClient, users: number): Promise<readonly OwnRecord[]> {
  const own: OwnRecord[] = []
  for (let user = 0; user < users; user++) {
    const { id, etag } = (await client.send(writeOf(user, 0, undefined).rest)) as OwnRecord // as the tool answers
    own.push({ id, etag })
  }
  return own
}

async function written(life: Life, pair: Pair): Promise<OwnRecord> {
  const { id, etag } = (await answered(life, pair)) as OwnRecord // as both tools answer
  return { id, etag }
}

/** Every second user speaks MCP. */
async function answered({ client, user }: Life, { tool, args, rest }: Pair): Promise<unknown> {
  if (user % 2 === 0) return client.send(rest)
  const { structuredContent, content } = (await client.callTool(tool, args)) as {
    structuredContent?: unknown
    content: readonly { text: string }[]
  } // as MCP answers
  return structuredContent ?? JSON.parse(content[0]?.text ?? '')
}

interface OpenStream {
  isClosed(): boolean
  close(): void
}

function openStream(url: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    let closed = false
    const asked = get(url, { agent: false }, (answer) => {
      answer.resume().on('close', () => {
        closed = true
      })
      resolve({ isClosed: () => closed, close: () => void asked.destroy() })
    })
    asked.on('error', reject)
  })
}
