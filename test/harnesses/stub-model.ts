import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { anthropic } from './apis/anthropic.ts'
import { chatCompletions } from './apis/chat-completions.ts'
import { gemini } from './apis/gemini.ts'
import { responses } from './apis/responses.ts'
import { type ModelApi, type ModelReply, type ModelRequest, type OfferedTool, sendJson } from './model-api.ts'

export const MODEL_APIS: readonly ModelApi[] = [anthropic, chatCompletions, responses, gemini]

/** A tool call of the script; `tool` is its name at the server, which harnesses put a prefix to. */
export interface ScriptedCall {
  readonly tool: string
  /** Or made of the results that reached the model before. */
  readonly args: object | ((results: readonly string[]) => object)
}

/** The arguments of a call after these results. */
export function argsOf({ args }: ScriptedCall, results: readonly string[]): object {
  return typeof args === 'function' ? args(results) : args
}

/** A request that reached the model. */
export interface RecordedRequest extends ModelRequest {
  readonly api: string
  readonly body: unknown
}

export interface StubModel {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** The result of each scripted call as it first reached the model; undefined: it did not. */
  results(): readonly (string | undefined)[]
  /** What was asked of other hosts: addresses with their port. */
  readonly strays: readonly string[]
  close(): Promise<void>
}

/**
 * Starts a model on loopback that plays a script: to a request with N tool results it answers with call N, after the
 * last one with words: what `speak` makes of the request. It is the proxy of the harness too: a request to another host is noted and refused.
 */
export async function startStubModel(
  script: readonly ScriptedCall[],
  speak: (body: unknown) => string = () => 'Done.',
): Promise<StubModel> {
  const requests: RecordedRequest[] = []
  const strays: string[] = []
  let origin = ''

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(origin, '') // a client with a proxy names the origin too
    const raw = await text(request)
    const api = path.startsWith('/') ? MODEL_APIS.find((each) => each.path.test(path)) : undefined
    if (path.startsWith('/') && path.includes(':countTokens')) return sendJson(response, { totalTokens: 1 })
    if (!api || request.method !== 'POST') {
      if (!path.startsWith('/')) strays.push(path)
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    }
    const body: unknown = JSON.parse(raw)
    const read = api.read(body, path)
    requests.push({ api: api.name, body, ...read })
    api.write(
      response,
      replyTo(read, script, () => speak(body)),
      read.wantsStream,
    )
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(400).end(String(error)) // no request of that API; the harness reports it
    })
  })
  server.on('connect', ({ url }, socket) => {
    socket.on('error', () => {}) // the client may have hung up
    if (`http://${url}` === origin) {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      server.emit('connection', socket)
      return
    }
    strays.push(String(url))
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  origin = `http://127.0.0.1:${port}`

  return {
    url: origin,
    requests,
    strays,
    results: () =>
      script.map((_, at) => requests.find(({ results }) => results.length === at + 1)?.results[at]),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function replyTo(
  { tools, results }: ModelRequest,
  script: readonly ScriptedCall[],
  speak: () => string,
): ModelReply {
  const call = script[results.length]
  const tool = call && offered(tools, call.tool)
  if (!tool)
    return { kind: 'words', words: call && tools.length > 0 ? `${call.tool} is not offered.` : speak() }
  return { kind: 'call', id: `call_${results.length}`, tool, args: argsOf(call, results) }
}

/** The offered tool that is this one of a server: the shortest name that ends with it. */
function offered(tools: readonly OfferedTool[], name: string): OfferedTool | undefined {
  const named = tools.filter((tool) => tool.name === name || tool.name.endsWith(`_${name}`))
  return named.sort((a, b) => a.name.length - b.name.length)[0]
}
