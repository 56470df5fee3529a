import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { openHost } from '../../../test/harness/index.ts'
import type { Listener } from '../../contract/advanced/route.ts'
import type { HttpOptions } from '../exchange.ts'
import type { HttpListener } from '../listener.ts'
import { listen } from './listen.ts'
import { samplePlugin } from './sample-plugin.ts'

export const TOKEN = 'server-token-of-the-test'

const UNTIL_MS = 300_000 // a bound for what hangs, not for a slow machine

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly json: Record<string, unknown>
}

export interface Ask {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  /** A value is sent as JSON, text and bytes as they are. */
  readonly body?: unknown
}

/** A host with the sample plugin behind one listener on loopback, closed after the test. */
export async function openDoor(
  t: TestContext,
  listener: Partial<Listener> = {},
  options: Partial<HttpOptions> = {},
) {
  const { plugin, sample } = samplePlugin()
  const { host, logged, projectRoot } = await openHost(t, { plugins: [plugin] })
  const own = { version: '1.2.3', token: TOKEN, graceMs: 200, ...options }
  const door = await listen(t, host, { mcp: true, ...listener }, own)
  const ask = (path: string, what: Ask = {}): Promise<Answer> => askAt(door, path, what)
  // Another `Host` than the listener's needs the token.
  const local = door.port === undefined ? 'localhost' : `localhost:${door.port}`
  const raw = (text: string) => openRaw(t, door, text.replace('Host: localhost\r\n', `Host: ${local}\r\n`))
  return { host, logged, projectRoot, door, sample, ask, raw }
}

/** One request and its whole answer. Errors: of a GET whose answer is a stream, which has no end. */
export async function askAt(door: HttpListener, path: string, what: Ask = {}): Promise<Answer> {
  const { method = what.body === undefined ? 'GET' : 'POST', headers = {} } = what
  const isText = typeof what.body === 'string' || Buffer.isBuffer(what.body)
  const body = what.body === undefined || isText ? what.body : JSON.stringify(what.body)
  const place =
    door.port === undefined ? { socketPath: door.address } : { host: '127.0.0.1', port: door.port }
  const outgoing = request({
    ...place,
    path,
    method,
    agent: false,
    headers: { ...bodyHeaders(body, headers), ...headers },
  })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  outgoing.end(body)
  const [incoming] = await answered
  if (method === 'GET' && incoming.headers['content-type']?.startsWith('text/event-stream')) {
    incoming.destroy()
    throw new Error(`${path} is answered with a stream`)
  }
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) }
}

function bodyHeaders(body: unknown, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return {}
  const length = headers['transfer-encoding'] === undefined && { 'content-length': Buffer.byteLength(body) }
  return { 'content-type': 'application/json', ...length }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

export interface Raw {
  readonly socket: Socket
  received(): string
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>
  /** What was received once it holds `part`; throws when the connection is over without, or after five minutes. */
  until(part: string): Promise<string>
}

/** A connection that has sent `text`. */
export function openRaw(t: TestContext, door: Pick<HttpListener, 'port' | 'address'>, text: string): Raw {
  const socket = door.port === undefined ? connect(door.address) : connect(door.port, '127.0.0.1')
  let got = ''
  socket.on('data', (chunk) => {
    got += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(text)
  t.after(() => socket.destroy())
  return {
    socket,
    closed,
    received: () => got,
    async until(part) {
      const patience = AbortSignal.timeout(UNTIL_MS)
      for (let from = 0; got.indexOf(part, from) < 0; ) {
        from = Math.max(0, got.length - part.length)
        if (socket.destroyed || patience.aborted)
          throw new Error(`no ${JSON.stringify(part)} in ${JSON.stringify(got.slice(-500))}`)
        await Promise.race([closed, once(socket, 'data', { signal: patience }).catch(() => undefined)])
      }
      return got
    },
  }
}
