import { request as httpRequest } from 'node:http'
import { type Message, modernHeaders } from './messages.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Message | undefined
}

const JSON_TYPES = 'application/json, text/event-stream'

/** Posts one message and reads the whole answer; of an event stream the last message. */
export async function post(
  url: string,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: JSON_TYPES, ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const last = isStream ? messagesOf(text).at(-1) : text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, body: last }
}

/** Posts a request of 2026-07-28 with the headers that belong to it. */
export function postModern(
  url: string,
  message: Message,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(url, message, { ...modernHeaders(message), ...headers })
}

/** The messages of a finished or unfinished event stream; what has not arrived to its end is none yet. */
export function messagesOf(text: string): Message[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as Message)
}

/** An open event stream as a client sees it. */
export interface OpenStream {
  readonly status: number
  readonly headers: Headers
  readonly text: () => string
  readonly messages: () => Message[]
  /** Waits until so many messages arrived. */
  arrived(count: number): Promise<Message[]>
  readonly ended: Promise<void>
  close(): void
}

/** Opens an event stream: a GET, or a POST whose answer goes on. */
export async function openStream(
  url: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<OpenStream> {
  let text = ''
  let rest = ''
  const messages: Message[] = []
  let changed: () => void = () => undefined
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      agent: false,
    })
    outgoing.once('response', resolve).once('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    rest += chunk.toString()
    const end = rest.lastIndexOf('\n\n') + 2
    if (end > 1) {
      messages.push(...messagesOf(rest.slice(0, end)))
      rest = rest.slice(end)
    }
    changed()
  })
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => {
      changed()
      resolve()
    })
    response.once('error', () => undefined)
  })
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string]),
    ),
    text: () => text,
    messages: () => [...messages],
    async arrived(count) {
      while (messages.length < count) {
        if (response.destroyed) throw new Error(`the stream ended after ${text}`)
        await new Promise<void>((resolve) => {
          changed = resolve
        })
      }
      return [...messages]
    },
    ended,
    close: () => void response.destroy(),
  }
}
