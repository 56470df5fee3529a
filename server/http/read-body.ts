import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { SatchelError } from '../contract/errors.ts'
import { type After, afterTimeout } from '../fanout/after.ts'
import { excessOfJson, MAX_JSON_DEPTH, MAX_JSON_VALUES } from '../platform/json-bounds.ts'
import { askForBody } from './continue.ts'
import { refusals } from './refusals.ts'

/** Default maximum size of a JSON body (surface, section 6). */
export const BODY_MAX_BYTES = 4 * 1024 * 1024
/** Time in which a body must be complete (mcp, section 4). */
const BODY_LIMIT_MS = 30_000

const BYTE_ORDER_MARK = '\ufeff'

export interface BodyLimits {
  readonly maxBytes: number
  /** Absent: 30 s. */
  readonly limitMs?: number
  readonly after?: After
}

/** Returns the media type of the body in lower case without parameters; empty if absent. */
export function mediaType(incoming: IncomingMessage): string {
  return (incoming.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Reports whether the request announces a body. */
export function hasBody(incoming: IncomingMessage): boolean {
  const length = incoming.headers['content-length']
  return incoming.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0)
}

/**
 * Refuses a missing body, one of another type, or an encoded one.
 * Errors: `invalid`/`media_type`.
 */
export function requireMediaType(incoming: IncomingMessage, accepted: readonly string[]): void {
  if (!accepted.includes(mediaType(incoming))) {
    const refused = hasBody(incoming) ? refusals.media_type : refusals.body_missing
    throw refused({ accepted: accepted.join(' or ') }, { details: { accepted } })
  }
  requireIdentity(incoming)
}

/**
 * Refuses a compressed body, because its size is unknown before decompression.
 * Errors: `invalid`/`media_type`.
 */
export function requireIdentity(incoming: IncomingMessage): void {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return
  throw refusals.encoded_body()
}

/**
 * Reads a body and counts its bytes; a stated length above the maximum is refused unread.
 * Errors: `too_large`/`limit_exceeded`, `invalid`/`body_timeout`, `cancelled`/`disconnected`.
 */
export function readBytes(incoming: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { maxBytes, limitMs = BODY_LIMIT_MS, after = afterTimeout } = limits
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  askForBody(incoming)
  if (incoming.complete && !incoming.destroyed && !incoming.readableEnded) return arrived(incoming, maxBytes)
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

/** Reads a body that arrived with its headers, as most do. */
async function arrived(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (incoming.readableLength > maxBytes) throw tooLarge(maxBytes)
  const bytes: Buffer | null = incoming.read() // without an encoding there are only buffers
  return bytes ?? Buffer.alloc(0)
}

function tooLarge(maxBytes: number): SatchelError {
  return refusals.limit_exceeded({ max_bytes: maxBytes }, { details: { max_bytes: maxBytes } })
}

/**
 * Decodes UTF-8 and drops a byte order mark.
 * Errors: `invalid`/`not_utf8`.
 */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw refusals.not_utf8()
  const text = bytes.toString('utf8')
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/**
 * Reads the value of a JSON body.
 * Errors: those of `readBytes`; `invalid`/`media_type`, `not_utf8`, `body_not_json`, `too_deep`; `too_large`/`too_many_values`.
 */
export async function readJson(incoming: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  requireMediaType(incoming, ['application/json'])
  return parseJson(decodeUtf8(await readBytes(incoming, limits)))
}

/** Errors: `invalid`/`body_not_json`, `invalid`/`too_deep`, `too_large`/`too_many_values`. */
export function parseJson(text: string): unknown {
  if (text === '') throw refusals.body_empty()
  const excess = excessOfJson(text)
  if (excess === 'depth') throw refusals.too_deep({ levels: MAX_JSON_DEPTH })
  if (excess === 'values') throw refusals.too_many_values({ values: MAX_JSON_VALUES })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refusals.body_not_json({ cause })
  }
}
