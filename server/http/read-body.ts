import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { SatchelError } from '../contract/errors.ts'
import { type After, afterTimeout } from '../fanout/after.ts'
import { refusals } from './refusals.ts'

/** Cap of a JSON body where a route states none (surface, section 6). */
export const BODY_MAX_BYTES = 4 * 1024 * 1024
/** A body must be whole after so long (mcp, section 4). */
const BODY_LIMIT_MS = 30_000
/** V8 parses any depth, but what comes after overflows on it (mcp, section 4). */
export const MAX_DEPTH = 100

const BYTE_ORDER_MARK = '\ufeff'

export interface BodyLimits {
  readonly maxBytes: number
  /** Absent: 30 s. */
  readonly limitMs?: number
  readonly after?: After
}

/** The media type of the body, lower case, without parameters; empty when none is stated. */
export function mediaType(incoming: IncomingMessage): string {
  return (incoming.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Whether the request announces a body at all. */
export function hasBody(incoming: IncomingMessage): boolean {
  const length = incoming.headers['content-length']
  return incoming.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0)
}

/**
 * Refuses a body of another type, or an encoded one.
 * Errors: `invalid`/`media_type`.
 */
export function requireMediaType(incoming: IncomingMessage, accepted: readonly string[]): void {
  if (!accepted.includes(mediaType(incoming))) {
    throw refusals.media_type({ accepted: accepted.join(' or ') }, { details: { accepted } })
  }
  requireIdentity(incoming)
}

/**
 * Refuses a compressed body: its size is not known before it is unpacked.
 * Errors: `invalid`/`media_type`.
 */
export function requireIdentity(incoming: IncomingMessage): void {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return
  throw refusals.encoded_body()
}

/**
 * The bytes of a body, counted as they come; a stated length over the cap is refused unread.
 * Errors: `too_large`/`limit_exceeded`, `invalid`/`body_timeout`, `cancelled`/`disconnected`.
 */
export function readBytes(incoming: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { maxBytes, limitMs = BODY_LIMIT_MS, after = afterTimeout } = limits
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (finish: () => void): void => {
      callOff()
      incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      finish()
    }
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > maxBytes) settle(() => reject(tooLarge(maxBytes)))
      else chunks.push(chunk)
    }
    const onEnd = (): void =>
      settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes)))
    const onClose = (): void => settle(() => reject(refusals.disconnected()))
    const callOff = after(limitMs, () => settle(() => reject(refusals.body_timeout())))
    incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

function tooLarge(maxBytes: number): SatchelError {
  return refusals.limit_exceeded({ max_bytes: maxBytes }, { details: { max_bytes: maxBytes } })
}

/**
 * The bytes as text; a byte order mark is dropped.
 * Errors: `invalid`/`not_utf8`.
 */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw refusals.not_utf8()
  const text = bytes.toString('utf8')
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/**
 * The value a JSON body holds, of any type.
 * Errors: those of `readBytes`; `invalid`/`media_type`, `not_utf8`, `body_not_json`, `too_deep`.
 */
export async function readJson(incoming: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  requireMediaType(incoming, ['application/json'])
  return parseJson(decodeUtf8(await readBytes(incoming, limits)))
}

/** Errors: `invalid`/`body_not_json`, `invalid`/`too_deep`. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw refusals.body_not_json({ cause })
  }
  if (isDeeperThan(MAX_DEPTH, value)) {
    throw refusals.too_deep({ levels: MAX_DEPTH })
  }
  return value
}

/** Layer by layer, because a recursion would overflow on what it is meant to find. */
function isDeeperThan(limit: number, value: unknown): boolean {
  let layer = [value].filter(isContainer)
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth === limit) return true
    layer = layer.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
