import type { Readable } from 'node:stream'
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { excessOfJson } from '../platform/json-bounds.ts'
import { parsedJson } from '../platform/json-object.ts'
import { type Admission, cancelledId, createAdmission, isRequest } from './admission.ts'
import {
  BATCH_VERSION,
  type Batches,
  createBatches,
  ID_IN_FLIGHT,
  idOf,
  MAX_BATCH,
  sortedOut,
} from './batches.ts'
import { createLineReader, type Line } from './lines.ts'
import type { Outlet } from './outlet.ts'
import { INVALID_PARAMS, LEGACY_RESOURCE_NOT_FOUND } from './protocol-errors.ts'
import { faultInMeta } from './request-meta.ts'

/** Length of queued text in characters above which stdin is paused. */
const MAX_WAITING_CHARS = 1024 * 1024

export interface WireOptions {
  readonly input: Readable
  readonly outlet: Outlet
  /** Intercepts a message before the SDK. True: taken; for a request, `answered` is called later. */
  intercept(message: JSONRPCMessage): boolean
  /** True for an older client, which expects -32002 for an unknown resource. */
  isLegacy(): boolean
  /** stdin ended, closed or failed. */
  ended(): void
}

/** MCP over a pair of pipes. Owned by the process and ends with it. */
export interface Wire {
  /** The transport for the SDK, which must not close the pipes: `close` only notifies it. */
  readonly transport: Transport
  /** Time of the last input, in milliseconds of `performance.now()`. */
  readonly lastReadAt: number
  /** Resumes after the outlet was congested. */
  resume(): void
  /** Records the answer to a request that `intercept` took. */
  answered(id: string | number): void
  /** Resolves when no request is queued or in flight. */
  idle(): Promise<void>
}

/** Creates a wire that reads nothing until the SDK starts its transport. */
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
    outlet.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined) // the outlet reports a broken pipe
  }
  let hasBatches = false
  const batches = createBatches((answers) => {
    outlet.send(answers).catch(() => undefined)
  })
  const read = createLineReader(createIntake({ admission, batches, refuse, hasBatches: () => hasBatches }))
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
      input.resume() // who read the first messages paused it
    },
    async send(message) {
      const clean = withoutValidatorText(message)
      const shown = options.isLegacy() ? withLegacyCode(clean) : clean
      const id = 'id' in message && !('method' in message) ? message.id : undefined
      hasBatches ||= 'result' in message && message.result['protocolVersion'] === BATCH_VERSION
      const sent = id !== undefined && batches.take(id, shown) ? undefined : outlet.send(shown)
      if (id !== undefined) answered(id)
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

interface Intake {
  readonly admission: Admission
  readonly batches: Batches
  readonly refuse: Refuse
  hasBatches(): boolean
}

/** Returns the function that admits the messages of a line, or refuses them. */
function createIntake({ admission, batches, refuse, hasBatches }: Intake): (line: Line) => void {
  const admit = (message: JSONRPCMessage, chars: number): void => {
    // A second request of an id in flight would leave one of the two without an answer.
    if (isRequest(message) && admission.knows(message.id)) {
      refuse(message.id, ProtocolErrorCode.InvalidRequest, ID_IN_FLIGHT)
      return
    }
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) batches.forget(cancelled)
    admission.offer(message, chars)
  }
  const admitBatch = (values: readonly unknown[], chars: number): void => {
    const { members, refused } = sortedOut(values, { parse: validMessage, isTaken: admission.knows })
    batches.open(members, refused)
    for (const member of members) admit(member, chars / members.length)
  }
  return (line) => {
    const chars = line.kind === 'text' ? line.text.length : 0
    const value = jsonOf(line, refuse)
    if (value === undefined) return
    const isBatch = Array.isArray(value) && value.length > 0 && value.length <= MAX_BATCH
    if (isBatch && hasBatches()) return admitBatch(value, chars)
    const fault = faultInMeta(value)
    if (fault !== undefined) return refuse(idOf(value), INVALID_PARAMS, fault)
    const message = validMessage(value)
    if (message) admit(message, chars)
    else refuse(idOf(value), ProtocolErrorCode.InvalidRequest, 'The line is not a JSON-RPC message')
  }
}

type Refuse = (id: string | number | null, code: number, message: string) => void

/** Returns the value of a line; undefined once it is refused. */
function jsonOf(line: Line, refuse: Refuse): unknown {
  if (line.kind === 'too_long') {
    refuse(null, ProtocolErrorCode.InvalidRequest, 'The message is longer than 10 MiB')
    return undefined
  }
  const value = line.kind === 'text' ? parsedJson(line.text) : undefined
  if (value === undefined) {
    refuse(null, ProtocolErrorCode.ParseError, 'The line is not JSON')
    return undefined
  }
  if (line.kind !== 'text' || excessOfJson(line.text) === undefined) return value
  refuse(idOf(value), ProtocolErrorCode.InvalidRequest, 'The line nests too deep or has too many values')
  return undefined
}

/** The message that a JSON value is; undefined for any other value. */
export function validMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value)
  } catch {
    return undefined
  }
}

/** Restores -32002 for an unknown resource, which older clients expect; the SDK answers -32602 in every version. */
export function withLegacyCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INVALID_PARAMS) return message
  const { data } = message.error
  const namesUri = typeof data === 'object' && data !== null && 'uri' in data
  return namesUri ? { ...message, error: { ...message.error, code: LEGACY_RESOURCE_NOT_FOUND } } : message
}

/**
 * Converts the SDK's refusal of invalid params, such as an `initialize` without params. The SDK sends -32603 with the text
 * of its validator and no data. Our internal errors always have data (`asProtocolError`), so an error without data is
 * caused by the caller and is sent without that text.
 */
export function withoutValidatorText(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== ProtocolErrorCode.InternalError) return message
  if (message.error.data !== undefined) return message
  return { ...message, error: { code: INVALID_PARAMS, message: 'Invalid params' } }
}
