import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type ErrorCode, errorFromBody, isJsonObject, type SatchelError } from '../../../server/plugin.ts'
import type { RoomEvent } from '../domain/event.ts'
import { refusals } from '../reasons.ts'

/** Where a room's owner can be reached: its socket on this machine, or a URL. */
export type OwnerAddress = SocketAddress | { readonly url: string } | ReplicaAddress

/** The socket of a process of this machine. */
export interface SocketAddress {
  readonly socket: string
  /** The process that its lock names. */
  readonly pid?: number
}

/** Another server of the database, which owns the room and announced where it is reached. */
export interface ReplicaAddress {
  readonly url: string
  /** The bearer of one request: for a session, or for this server itself. */
  pass(session?: string): string
}

/** One call to the owner. */
export interface LinkCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly token?: string
  readonly body?: unknown
  /** The body as JSON text already. */
  readonly text?: string | undefined
  readonly signal?: AbortSignal
  /** Waits until fewer than `MAX_CONCURRENT_CALLS` such calls of this process are open; absent: starts immediately. */
  readonly inTurn?: boolean
  /** How long the owner may be silent; absent: 30 s. */
  readonly limitMs?: number
}

/** The owner could not be reached, or the connection broke: the call may or may not have run. */
export class LinkLost extends Error {}

/** The owner is there and did not answer in time: it may be suspended, and run the call when it goes on. */
export class LinkSilent extends LinkLost {
  readonly pid: number | undefined
  /** The call may have changed the room. */
  readonly isChange: boolean

  constructor(address: OwnerAddress, { method }: Pick<LinkCall, 'method'>) {
    super('The owner does not answer.')
    this.pid = 'socket' in address ? address.pid : undefined
    this.isChange = method !== 'GET'
  }
}

const ANSWER_LIMIT_MS = 30_000
/** Of the question whether the owner is there. */
export const PING_LIMIT_MS = 10_000
/** Of an answer: the longest document, several times. */
const ANSWER_MAX_BYTES = 64 * 1024 * 1024
/** An event stream that is alive has a heartbeat every 15 seconds. */
const STREAM_SILENT_MS = 45_000
/** Of one frame of an event stream. */
const FRAME_MAX_CHARS = 1024 * 1024
/** workspace design 9.4 */
export const MAX_CONCURRENT_CALLS = 8
const turns = {
  http: new HttpAgent({ maxSockets: MAX_CONCURRENT_CALLS }),
  https: new HttpsAgent({ maxSockets: MAX_CONCURRENT_CALLS }),
}
/** Connections to the owner's server are kept: behind a balancer most calls go over one. */
const kept = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
/** The reason with which a closing listener refuses. */
const STOPPING = 'stopping'

/**
 * Makes one call at the owner and returns its JSON answer.
 * Errors: `LinkLost`; a refusal of the owner as the same `SatchelError`.
 */
export async function callOwner(address: OwnerAddress, call: LinkCall): Promise<unknown> {
  return parsed(await wholeText(await openAnswer(address, call)))
}

/** The same, with the answer as it comes. Its reader bounds it. */
export async function openAnswer(address: OwnerAddress, call: LinkCall): Promise<IncomingMessage> {
  const payload = call.body === undefined ? call.text : JSON.stringify(call.body)
  const answer = await open(address, call, payload, call.limitMs ?? ANSWER_LIMIT_MS)
  if ((answer.statusCode ?? 500) < 300) return answer // no redirect is followed
  throw failureOf(parsed(await wholeText(answer)))
}

/** The bytes of an answer, at most as many as one may have. Errors: `LinkLost`, `unavailable`/`protocol_mismatch`. */
export async function* bytesOf(answer: IncomingMessage): AsyncGenerator<Buffer> {
  let length = 0
  try {
    for await (const chunk of answer) {
      const bytes = chunk as Buffer // no encoding is set: chunks are buffers
      length += bytes.length
      if (length > ANSWER_MAX_BYTES) break
      yield bytes
    }
  } catch (cause) {
    throw new LinkLost('The connection to the owner broke.', { cause })
  }
  if (length > ANSWER_MAX_BYTES) throw refusals.not_a_room()
}

/**
 * Follows the owner's events after `since` until the stream ends.
 * Errors: `LinkLost`; the owner's refusal.
 */
export async function followEvents(
  address: OwnerAddress,
  options: { readonly token: string; readonly since: number; readonly signal: AbortSignal },
  onEvent: (event: RoomEvent | 'resync') => void,
): Promise<void> {
  for await (const frame of await openFrames(address, options)) deliver(frame, onEvent)
}

/**
 * The frames of the owner's event stream after `since`, heartbeats and the retry line too, each without its empty line.
 * Errors, of the iteration too: `LinkLost`; the owner's refusal.
 */
export async function openFrames(
  address: OwnerAddress,
  { token, since, signal }: { readonly token: string; readonly since: number; readonly signal: AbortSignal },
): Promise<AsyncGenerator<string>> {
  const path = `/workspace/observe?since_event_id=${since}`
  const call = { method: 'GET', path, token, signal, limitMs: STREAM_SILENT_MS } as const
  return framesOf(await openAnswer(address, call))
}

async function* framesOf(answer: IncomingMessage): AsyncGenerator<string> {
  try {
    let rest = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      const blocks = (rest + String(chunk)).split('\n\n')
      rest = blocks.pop() ?? ''
      if (rest.length > FRAME_MAX_CHARS) throw new Error('a frame of the owner has no end')
      yield* blocks
    }
  } catch (cause) {
    throw new LinkLost('The connection to the owner broke.', { cause })
  }
}

function deliver(block: string, onEvent: (event: RoomEvent | 'resync') => void): void {
  const data = /^data: (.*)$/m.exec(block)?.[1]
  if (data === undefined) return // a heartbeat or the retry line
  if (block.startsWith('event: resync')) onEvent('resync')
  else onEvent(JSON.parse(data) as RoomEvent) // the owner's own frame
}

function open(
  address: OwnerAddress,
  call: LinkCall,
  payload: string | undefined,
  limitMs: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { options, send } = requestTo(address, call, payload)
    const request = send(options, resolve)
    const lost = (cause: unknown): void =>
      reject(cause instanceof LinkLost ? cause : new LinkLost('The owner cannot be reached.', { cause }))
    request.on('error', (thrown) => (call.signal?.aborted ? reject(thrown) : lost(thrown)))
    if (limitMs > 0) request.setTimeout(limitMs, () => request.destroy(new LinkSilent(address, call)))
    request.end(payload)
  })
}

function requestTo(
  address: OwnerAddress,
  { method, path, token, signal, inTurn }: LinkCall,
  payload: string | undefined,
) {
  const headers: Record<string, string> = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(payload !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(payload)),
    }),
  }
  const common: RequestOptions = { method, path, headers, ...(signal && { signal }) }
  if ('socket' in address) {
    const agent = inTurn === true && turns.http
    return { options: { ...common, agent, socketPath: address.socket, host: 'localhost' }, send: httpRequest }
  }
  const { protocol, hostname, port } = new URL(address.url)
  const isSecure = protocol === 'https:'
  const agents = 'pass' in address ? kept : inTurn === true && turns
  const agent = agents && (isSecure ? agents.https : agents.http)
  const host = hostname.replace(/^\[|\]$/g, '')
  const options = { ...common, agent, protocol, hostname: host, ...(port !== '' && { port }) }
  return { options, send: isSecure ? httpsRequest : httpRequest }
}

async function wholeText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const bytes of bytesOf(answer)) chunks.push(bytes)
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch (cause) {
    throw refusals.not_a_room({ cause })
  }
}

/** A stopping owner has not run the call, so it counts as lost: another owner may follow it. */
function failureOf(body: unknown): Error {
  const refusal = refusalOf(body)
  return refusal.reason === STOPPING ? new LinkLost('The owner is stopping.', { cause: refusal }) : refusal
}

/** Converts a problem document back to the error that it describes. */
function refusalOf(body: unknown): SatchelError {
  const problem = isJsonObject(body) ? body : {}
  const { code, reason, detail, details, untrusted, next } = problem
  if (typeof code !== 'string' || typeof reason !== 'string') {
    return refusals.not_a_room()
  }
  return errorFromBody({
    code: code as ErrorCode,
    reason,
    message: String(detail ?? reason),
    ...(isJsonObject(details) && { details }),
    ...(Array.isArray(untrusted) && { untrusted: untrusted.map(String) }),
    ...(isJsonObject(next) && { next: next as { tool: string; args: Record<string, unknown> } }),
  })
}
