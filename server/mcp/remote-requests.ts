import { setTimeout as sleep } from 'node:timers/promises'
import { ProtocolError } from '@modelcontextprotocol/server'
import type { RemoteMcp } from '../contract/advanced/remote.ts'
import { isJsonObject, parsedJson } from '../platform/json-object.ts'
import type { WireResult } from './raw-table.ts'

const VERSION = '2026-07-28'
const META = 'io.modelcontextprotocol/'
/** Maximum number of concurrent requests (workspace, section 9). */
const MAX_AT_ONCE = 8
/** Time during which a request is repeated after a lost connection (workspace, section 9). */
const LOST_LIMIT_MS = 2_000
const LOST_PAUSE_MS = 100

export interface RemoteRequest {
  readonly method: string
  readonly params: WireResult
  /** Absent: none. */
  readonly capabilities?: WireResult
  readonly signal?: AbortSignal
  /** True for an idempotent request, which may be repeated. */
  readonly repeatable: boolean
  /** True for a request that the server answers when something happens: it keeps no other one from being sent. */
  readonly waits?: boolean
}

/** Requests of 2026-07-28 to a remote server, one POST for each. */
export interface RemoteRequests {
  /** Errors: the server's `ProtocolError`; those of `RemoteMcp`. */
  send(request: RemoteRequest): Promise<WireResult>
  /** Follows the notification stream until it ends. False: the server offers none. */
  follow(notify: (message: WireResult) => void, signal: AbortSignal): Promise<boolean>
}

/** Creates the client without sending a request. `client`: the name of the one that it acts for. */
export function createRemoteRequests(remote: RemoteMcp, client?: string): RemoteRequests {
  let token: Promise<string> | undefined
  let underWay = 0
  const waiting: (() => void)[] = []

  const bearer = async (): Promise<string> => {
    token ??= remote.bearer(client).catch((thrown: unknown) => {
      token = undefined
      throw thrown
    })
    return `Bearer ${await token}`
  }
  const post = async (request: RemoteRequest): Promise<Response> =>
    fetch(remote.url, {
      method: 'POST',
      headers: { ...headersOf(request), authorization: await bearer() },
      body: JSON.stringify(bodyOf(request)),
      ...(request.signal && { signal: request.signal }),
    })
  const attempt = async (request: RemoteRequest): Promise<WireResult> => {
    const first = await post(request)
    if (first.status !== 401) return resultOf(first, remote)
    token = undefined
    const second = await post(request)
    if (second.status === 401) throw remote.errors.sessionEnded()
    return resultOf(second, remote)
  }
  const persist = async (request: RemoteRequest): Promise<WireResult> => {
    const until = performance.now() + LOST_LIMIT_MS
    for (;;) {
      try {
        return await attempt(request)
      } catch (thrown) {
        request.signal?.throwIfAborted()
        if (!isLost(thrown)) throw thrown
        if (!request.repeatable || performance.now() > until) throw remote.errors.lost(thrown)
        await sleep(LOST_PAUSE_MS)
      }
    }
  }
  return {
    async send(request) {
      if (request.waits) return persist(request)
      if (underWay >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
      underWay += 1
      try {
        return await persist(request)
      } finally {
        underWay -= 1
        waiting.shift()?.()
      }
    },
    async follow(notify, signal) {
      const headers = {
        accept: 'text/event-stream',
        'mcp-protocol-version': VERSION,
        authorization: await bearer(),
      }
      const response = await fetch(remote.url, { headers, signal })
      if (!response.ok || !response.body) return response.status === 429 || response.status >= 500
      await readEvents(response.body, notify)
      return true
    },
  }
}

function headersOf({ method, params }: RemoteRequest): Record<string, string> {
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
}

/** Encodes a header value that is not ASCII as the protocol requires. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

function bodyOf({ method, params, capabilities = {} }: RemoteRequest): WireResult {
  const _meta = {
    [`${META}protocolVersion`]: VERSION,
    [`${META}clientInfo`]: { name: 'satchel-link', version: '1' },
    [`${META}clientCapabilities`]: capabilities,
  }
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}

async function resultOf(response: Response, { errors }: RemoteMcp): Promise<WireResult> {
  const text = await response.text()
  const body = parsedJson(text)
  if (!isJsonObject(body)) throw errors.mismatch()
  const { result, error } = body
  if (isJsonObject(result)) return withoutServerInfo(result)
  if (!isJsonObject(error) || typeof error['code'] !== 'number') throw errors.mismatch()
  const { code, message, data } = error
  throw new ProtocolError(Number(code), String(message), data)
}

/** Removes the remote server's name from a result; over our pipe, this server is the server. */
function withoutServerInfo(result: WireResult): WireResult {
  const { _meta, ...rest } = result
  if (!isJsonObject(_meta)) return result
  const { [`${META}serverInfo`]: _, ...meta } = _meta
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest
}

async function readEvents(body: ReadableStream<Uint8Array>, notify: (message: WireResult) => void) {
  let rest = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const message = parsedJson(/^data: (.*)$/m.exec(event)?.[1] ?? '')
      if (isJsonObject(message)) notify(message)
    }
  }
}

/** `fetch` and its body reader throw a `TypeError` when the server cannot be reached or closes the connection. */
function isLost(thrown: unknown): boolean {
  return thrown instanceof TypeError
}
