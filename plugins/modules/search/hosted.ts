import { setTimeout as wait } from 'node:timers/promises'
import { refusals } from '../reasons.ts'
import { type Embedder, type Embedding, type EmbedRole, normalized } from './embedder.ts'

/** How one hosted service wants to be asked. */
export interface HostedService {
  readonly strategy: 'hosted-a' | 'hosted-b'
  /** Without a trailing slash; https, or http on loopback. */
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string
}

interface Dialect {
  readonly maxTokens: number
  /** Longest text in characters; the service refuses longer ones. */
  readonly maxChars: number
  body(model: string, input: readonly string[], role: EmbedRole): unknown
}

/** hosted-a is OpenAI-compatible, hosted-b Voyage-compatible (search, section 7). */
const DIALECTS: Readonly<Record<HostedService['strategy'], Dialect>> = {
  'hosted-a': {
    maxTokens: 250_000,
    maxChars: 24_000,
    body: (model, input) => ({ model, input, encoding_format: 'float' }),
  },
  'hosted-b': {
    maxTokens: 100_000,
    maxChars: Number.POSITIVE_INFINITY,
    body: (model, input, role) => ({ model, input, input_type: role, truncation: true }),
  },
}

const BATCH_TEXTS = 64
const BATCHES_IN_FLIGHT = 2
const CHARS_PER_TOKEN = 3
const MAX_TRIES = 5
const REQUEST_MS = 60_000
const TOTAL_MS = 300_000
const FIRST_WAIT_MS = 500
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** Seams of the client: a clock to wait with and a source of jitter in 0..1. */
export interface HostedSeams {
  wait(ms: number, signal: AbortSignal): Promise<void>
  random(): number
}

const REAL_SEAMS: HostedSeams = {
  wait: (ms, signal) => wait(ms, undefined, { signal, ref: true }),
  random: () => 0.5,
}

/**
 * A client for a hosted embedding service: batches, two in flight, retries on 408, 409, 429, 5xx and network errors.
 * The key travels in one header and appears in no message.
 * Errors: `invalid`/`embedding_url_refused` for a base URL that is neither https nor loopback.
 */
export function hostedEmbedder(service: HostedService, seams: HostedSeams = REAL_SEAMS): Embedder {
  refuseUnsafeUrl(service.baseUrl)
  const dialect = DIALECTS[service.strategy]
  let dims: number | undefined
  return {
    strategy: service.strategy,
    model: service.model,
    get dims() {
      return dims
    },
    async embed(texts, role, signal) {
      const results: Embedding[] = texts.map(() => ({ failed: 'not asked' }))
      const batches = batchesOf(texts, dialect)
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)])
      const worker = async (): Promise<void> => {
        for (let batch = batches.shift(); batch; batch = batches.shift()) {
          const input = batch.map((at) => (texts[at] ?? '').slice(0, dialect.maxChars) || ' ')
          const answer = await askForBatch(
            service,
            dialect.body(service.model, input, role),
            input.length,
            deadline,
            seams,
          )
          signal.throwIfAborted()
          for (const [nth, at] of batch.entries()) results[at] = embeddingOf(answer, nth, dims)
          dims ??= firstDims(results)
        }
      }
      await Promise.all(Array.from({ length: BATCHES_IN_FLIGHT }, worker))
      return results
    },
    close: async () => {},
  }
}

type BatchAnswer = { readonly vectors: readonly Float32Array[] } | { readonly failed: string }

function embeddingOf(answer: BatchAnswer, nth: number, dims: number | undefined): Embedding {
  if ('failed' in answer) return answer
  const vector = answer.vectors[nth]
  if (!vector) return { failed: 'the service gave no vector' }
  if (dims !== undefined && vector.length !== dims)
    return { failed: 'the service changed the number of dimensions' }
  return { vector }
}

function firstDims(results: readonly Embedding[]): number | undefined {
  for (const result of results) if ('vector' in result) return result.vector.length
  return undefined
}

function batchesOf(texts: readonly string[], dialect: Dialect): number[][] {
  const batches: number[][] = []
  let tokens = 0
  for (const [at, text] of texts.entries()) {
    const cost = Math.ceil(Math.min(text.length, dialect.maxChars) / CHARS_PER_TOKEN)
    const last = batches.at(-1)
    if (!last || last.length >= BATCH_TEXTS || tokens + cost > dialect.maxTokens) {
      batches.push([at])
      tokens = cost
    } else {
      last.push(at)
      tokens += cost
    }
  }
  return batches
}

async function askForBatch(
  service: HostedService,
  body: unknown,
  count: number,
  signal: AbortSignal,
  seams: HostedSeams,
): Promise<BatchAnswer> {
  let failed = ''
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const outcome = await ask(service, body, signal)
    if ('body' in outcome) return vectorsOf(outcome.body, count)
    failed = outcome.failed
    if (!outcome.again || attempt === MAX_TRIES - 1 || signal.aborted) break
    const backoff = FIRST_WAIT_MS * 2 ** attempt * (0.5 + seams.random())
    await seams.wait(outcome.waitMs ?? backoff, signal).catch(() => {})
  }
  return { failed }
}

type Outcome =
  | { readonly body: unknown }
  | { readonly failed: string; readonly again: boolean; readonly waitMs?: number }

async function ask(service: HostedService, body: unknown, signal: AbortSignal): Promise<Outcome> {
  try {
    const response = await fetch(`${service.baseUrl}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    })
    const text = await readCapped(response)
    if (!response.ok) return refusalOf(response, text)
    return { body: JSON.parse(text) }
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : ''
    if (name === 'SyntaxError') return { failed: 'the service answered no JSON', again: true }
    if (name === 'TooLarge') return { failed: 'the answer was larger than 64 MiB', again: false }
    return {
      failed:
        name === 'TimeoutError' ? 'the service did not answer in time' : 'the service could not be reached',
      again: true,
    }
  }
}

function refusalOf(response: Response, text: string): Outcome {
  const { status } = response
  const quota = status === 429 && text.includes('insufficient_quota')
  const again = !quota && (status === 408 || status === 409 || status === 429 || status >= 500)
  const waitMs = retryAfterMs(response.headers)
  const why = quota
    ? 'the quota of the key is used up'
    : (STATUS_TEXT[status] ?? `the service answered ${status}`)
  return { failed: why, again, ...(waitMs !== undefined && { waitMs }) }
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'the service refused the request (400): check the model name',
  401: 'the service refused the key (401)',
  403: 'the service forbids this key (403)',
  404: 'the service has no such model or address (404)',
  429: 'the service asked to slow down (429)',
}

function retryAfterMs(headers: Headers): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(ms) && ms >= 0) return Math.min(ms, TOTAL_MS)
  const header = headers.get('retry-after')
  const seconds = header === null ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, TOTAL_MS) : undefined
}

async function readCapped(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BODY_BYTES) throw Object.assign(new Error('too large'), { name: 'TooLarge' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The vectors of an answer in the order of the inputs, or what is wrong with it. */
function vectorsOf(body: unknown, count: number): BatchAnswer {
  const rows = (body as { data?: unknown } | null)?.data
  if (!Array.isArray(rows) || rows.length !== count)
    return { failed: 'the service answered another number of vectors' }
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count })
  for (const row of rows as { index?: unknown; embedding?: unknown }[]) {
    const at = row?.index
    const numbers = numbersOf(row?.embedding)
    const vector = numbers && normalized(numbers)
    if (typeof at !== 'number' || !(at in vectors) || !vector)
      return { failed: 'the service answered a vector that is none' }
    vectors[at] = vector
  }
  const dims = vectors[0]?.length
  const whole = vectors.filter((vector) => vector !== undefined)
  if (whole.length !== count || whole.some((vector) => vector.length !== dims)) {
    return { failed: 'the service answered vectors that do not fit together' }
  }
  return { vectors: whole }
}

/** Numbers, or base64 of little-endian float32. */
function numbersOf(embedding: unknown): ArrayLike<number> | undefined {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64')
    if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
    return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4))
  }
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined
  return embedding.every((value) => typeof value === 'number') ? embedding : undefined
}

function refuseUnsafeUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const loopback = url !== undefined && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname)
  const safe =
    url !== undefined &&
    url.username === '' &&
    (url.protocol === 'https:' || (loopback && url.protocol === 'http:'))
  if (safe) return
  throw refusals.embedding_url_refused()
}
