import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'

type Json = Record<string, unknown>

export interface Answer {
  readonly status: number
  /** The JSON document; empty where there is none. */
  readonly body: Json
}

export interface Asking {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly token: string
  readonly body?: object
  readonly headers?: OutgoingHttpHeaders
}

/** One client's connections to a room, kept open between calls. The caller closes them. */
export interface Connection {
  ask(asking: Asking): Promise<Answer>
  /** Opens a stream and reads it until it ends or is cut off. Errors: a status that is not 200. */
  stream(asking: Asking): Promise<IncomingMessage>
  /** Destroys every connection, streams and unfinished calls with them, without a word to the server. */
  cutOff(): void
}

/** No connection yet; each is made when it is needed. */
export function openConnection(origin: string): Connection {
  const agent = new Agent({ keepAlive: true })
  const streams = new Set<IncomingMessage>()
  return {
    async ask(asking) {
      const answer = await send(agent, origin, asking)
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer) // no encoding is set: chunks are buffers
      const text = Buffer.concat(chunks).toString()
      return { status: answer.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) }
    },
    async stream(asking) {
      const answer = await send(agent, origin, asking)
      if (answer.statusCode !== 200) {
        answer.destroy()
        throw new Error(`${asking.method} ${asking.path}: ${answer.statusCode}`)
      }
      streams.add(answer)
      answer.on('error', () => {}) // cut off
      answer.once('close', () => streams.delete(answer))
      return answer.resume()
    },
    cutOff() {
      for (const stream of streams) stream.destroy()
      agent.destroy()
    },
  }
}

function send(agent: Agent, origin: string, asking: Asking): Promise<IncomingMessage> {
  const { method, path, token, body, headers = {} } = asking
  const text = body === undefined ? undefined : JSON.stringify(body)
  const common = {
    authorization: `Bearer ${token}`,
    ...(text !== undefined && { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { method, agent, headers: { ...common, ...headers } }, resolve)
    // A server may close an idle connection in the very moment in which it is used again: it has not seen this call.
    sent.on('error', (thrown) => (sent.reusedSocket ? resolve(send(agent, origin, asking)) : reject(thrown)))
    sent.end(text)
  })
}
