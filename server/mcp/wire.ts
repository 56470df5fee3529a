import type { Readable } from 'node:stream'
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { isTooDeep } from '../platform/json-depth.ts'
import { createAdmission } from './admission.ts'
import { createLineReader, type Line } from './lines.ts'
import type { Outlet } from './outlet.ts'
import { INVALID_PARAMS, LEGACY_RESOURCE_NOT_FOUND } from './protocol-errors.ts'

/** Text of waiting lines above which stdin is not read on, in characters. */
const MAX_WAITING_CHARS = 1024 * 1024

export interface WireOptions {
  readonly input: Readable
  readonly outlet: Outlet
  /** Takes a message before the SDK sees it. True: it was taken; a request is reported by `answered` later. */
  intercept(message: JSONRPCMessage): boolean
  /** True once an older client was recognised: it is told -32002 for an unknown resource. */
  isLegacy(): boolean
  /** stdin ended, closed or failed. */
  ended(): void
}

/** MCP over a pair of pipes. The process owns it and ends with it. */
export interface Wire {
  /** For the SDK, which must not close the pipes: `close` only tells it. */
  readonly transport: Transport
  /** When stdin last gave something, in milliseconds of `performance.now()`. */
  readonly lastReadAt: number
  /** The outlet has room again. */
  resume(): void
  /** A request taken by `intercept` was answered. */
  answered(id: string | number): void
  /** Resolved when nothing waits and nothing is in flight. */
  idle(): Promise<void>
}

/** A wire that reads nothing until the SDK starts its transport. */
export function createWire(options: WireOptions): Wire {
  const { input, outlet } = options
  let lastReadAt = performance.now()

  const admission = createAdmission(
    (message) => {
      if (!options.intercept(message)) transport.onmessage?.(message)
    },
    () => !outlet.congested,
  )
  const throttle = (): void => {
    if (outlet.congested || admission.waitingChars > MAX_WAITING_CHARS) input.pause()
    else if (input.isPaused()) input.resume()
  }
  const refuse: Refuse = (id, code, message) => {
    outlet.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined) // the outlet says it is broken
  }
  const read = createLineReader((line) => {
    const message = messageOf(line, refuse)
    if (message) admission.offer(message, line.kind === 'text' ? line.text.length : 0)
  })
  const answered = (id: string | number): void => {
    admission.answered(id)
    throttle()
  }
  const transport: Transport = {
    async start() {
      input.on('data', (chunk: Buffer | string) => {
        lastReadAt = performance.now()
        read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
        throttle()
      })
      for (const event of ['end', 'close', 'error']) input.on(event, () => options.ended())
    },
    async send(message) {
      const clean = withoutValidatorText(message)
      const sent = outlet.send(options.isLegacy() ? withLegacyCode(clean) : clean)
      if ('id' in message && !('method' in message) && message.id !== undefined) answered(message.id)
      await sent
    },
    async close() {
      transport.onclose?.()
    },
  }
  return {
    transport,
    get lastReadAt() {
      return lastReadAt
    },
    resume() {
      admission.pump()
      throttle()
    },
    answered,
    idle: admission.idle,
  }
}

type Refuse = (id: string | number | null, code: number, message: string) => void

function messageOf(line: Line, refuse: Refuse): JSONRPCMessage | undefined {
  if (line.kind === 'too_long') {
    refuse(null, ProtocolErrorCode.InvalidRequest, 'The message is longer than 10 MiB')
    return undefined
  }
  const value = line.kind === 'text' ? parsed(line.text) : undefined
  if (value === undefined) {
    refuse(null, ProtocolErrorCode.ParseError, 'The line is not JSON')
    return undefined
  }
  const message = isTooDeep(value) ? undefined : validMessage(value)
  if (!message) refuse(idOf(value), ProtocolErrorCode.InvalidRequest, 'The line is not a JSON-RPC message')
  return message
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function validMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value)
  } catch {
    return undefined
  }
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null
  const { id } = value
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** The SDK answers -32602 in every version; older clients expect -32002 for an unknown resource. */
export function withLegacyCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INVALID_PARAMS) return message
  const { data } = message.error
  const namesUri = typeof data === 'object' && data !== null && 'uri' in data
  return namesUri ? { ...message, error: { ...message.error, code: LEGACY_RESOURCE_NOT_FOUND } } : message
}

/**
 * The SDK refuses params that break a method's schema (an `initialize` without any) with -32603, its validator's own
 * text and no data. Our own internal errors always carry data (`asProtocolError`); every other one is the caller's fault
 * and is sent without that text.
 */
export function withoutValidatorText(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== ProtocolErrorCode.InternalError) return message
  if (message.error.data !== undefined) return message
  return { ...message, error: { code: INVALID_PARAMS, message: 'Invalid params' } }
}
