import * as z from 'zod'
import { parsedJson } from '../../../server/platform/json-object.ts'
import { isSecureAddress } from '../../../server/platform/secure-address.ts'
import { SatchelError, systemCode } from '../../../server/plugin.ts'

/** A model that speaks the API "Chat Completions". */
export interface ModelEndpoint {
  /** With or without the path `/v1/chat/completions`. */
  readonly url: URL
  readonly model: string
  readonly key: string | undefined
  readonly timeoutMs: number
}

export interface Message {
  readonly role: 'system' | 'user'
  readonly content: string
}

export interface ModelAnswer {
  readonly text: string
  /** Tokens of question and answer together, as the endpoint counts them; undefined if it does not. */
  readonly tokens: number | undefined
}

const PATH = '/v1/chat/completions'
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/**
 * The endpoint that the environment names. Nothing is sent to it yet.
 * Errors: `invalid`/`no_model`, `invalid`/`bad_model_address`.
 */
export function endpointIn(
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs: number,
): ModelEndpoint {
  const { SATCHEL_MODEL_URL: address = '', SATCHEL_MODEL_NAME: model = '', SATCHEL_MODEL_KEY: key } = env
  if (address === '' || model === '') {
    const missing = [address === '' && 'SATCHEL_MODEL_URL', model === '' && 'SATCHEL_MODEL_NAME']
    throw new SatchelError(
      'invalid',
      'no_model',
      `No model is configured, and nothing was sent. Set ${missing.filter(Boolean).join(' and ')}: the address of an endpoint for Chat Completions, and the name of a model there. SATCHEL_MODEL_KEY is its key, if it needs one.`,
    )
  }
  if (!URL.canParse(address) || !/^https?:/.test(address) || (key && !isSecureAddress(address))) {
    throw new SatchelError(
      'invalid',
      'bad_model_address',
      'SATCHEL_MODEL_URL is not usable, and nothing was sent. Set an https address, or an http address; a key is sent by http to this machine only.',
    )
  }
  const url = new URL(address)
  if (url.pathname === '/') url.pathname = PATH
  return { url, model, key: key || undefined, timeoutMs }
}

const ANSWER = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ total_tokens: z.number() }).optional().catch(undefined),
})

/**
 * Asks the model once.
 * Errors: `unavailable` with `model_unreachable`, `model_timeout`, `model_refused` or `model_answer_unusable`.
 */
export async function askModel(
  endpoint: ModelEndpoint,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { url, model, key, timeoutMs } = endpoint
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, messages, temperature: 0, stream: false }),
      signal: AbortSignal.any([signal, timeout]),
    })
    const body = await textOf(response)
    if (!response.ok) throw refused(url, response.status)
    const read = ANSWER.safeParse(parsedJson(body))
    if (!read.success) throw unusable(url)
    const [choice] = read.data.choices
    return { text: choice?.message.content ?? '', tokens: read.data.usage?.total_tokens }
  } catch (thrown) {
    if (thrown instanceof SatchelError || signal.aborted) throw thrown
    throw timeout.aborted ? tooLate(url, timeoutMs) : unreachable(url, thrown)
  }
}

/** The body, if it is not too long. */
async function textOf(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    if (text.length > MAX_ANSWER_BYTES) throw unusable(new URL(response.url))
  }
  return text
}

function refused({ host }: URL, status: number): SatchelError {
  const hint =
    status === 401 || status === 403
      ? 'Check SATCHEL_MODEL_KEY.'
      : 'Check SATCHEL_MODEL_URL and SATCHEL_MODEL_NAME, then try again.'
  return new SatchelError('unavailable', 'model_refused', `The model at ${host} answered ${status}. ${hint}`)
}

function unusable({ host }: URL): SatchelError {
  return new SatchelError(
    'unavailable',
    'model_answer_unusable',
    `What ${host} answered is not an answer of Chat Completions. Check SATCHEL_MODEL_URL.`,
  )
}

function tooLate({ host }: URL, timeoutMs: number): SatchelError {
  return new SatchelError(
    'unavailable',
    'model_timeout',
    `The model at ${host} did not answer within ${timeoutMs / 1000} s. Try again with a larger --model-timeout.`,
  )
}

function unreachable({ host }: URL, thrown: unknown): SatchelError {
  const code = thrown instanceof Error ? systemCode(thrown.cause) : undefined
  return new SatchelError(
    'unavailable',
    'model_unreachable',
    `The model at ${host} cannot be reached${code ? ` (${code})` : ''}. Check that it runs and that SATCHEL_MODEL_URL names it.`,
    { cause: thrown },
  )
}
