import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Principal } from '../../server/contract/context.ts'
import { isSatchelError, SatchelError } from '../../server/contract/errors.ts'
import type { McpMount } from '../../server/mcp-mount.ts'

/** Who a bearer stands for; a test may take one away. No bearer: this OS user. */
export type Sessions = Map<string, Principal>

const LOCAL: Principal = { id: 'local', kind: 'local', capabilities: [] }

/** The smallest listener that can carry a mount: no guard but bearers, a body reader without time limit. */
export async function openMount(
  t: TestContext,
  mount: McpMount,
  sessions: Sessions = new Map(),
): Promise<string> {
  const server = createServer((incoming, outgoing) => void serve(mount, sessions, incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    await mount.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function serve(
  mount: McpMount,
  sessions: Sessions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const sent = new Response(null)
  const path = incoming.url?.split('?')[0]
  if (!mount.routes.some((route) => route.path === path)) {
    outgoing.writeHead(404).end()
    return
  }
  const response = await mount.handle({
    listener: 'mcp',
    request: new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      signal: gone.signal,
    }),
    incoming,
    outgoing,
    async authenticate() {
      const bearer = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1]
      const principal = bearer === undefined ? LOCAL : sessions.get(bearer)
      if (!principal) throw new SatchelError('unauthorized', 'unauthorized', 'Send a valid bearer.')
      return principal
    },
    readBody: (maxBytes) => readBody(incoming, maxBytes),
    alreadySent: () => sent,
  })
  if (response !== sent) await writeOut(response, outgoing)
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new SatchelError('too_large', 'body_too_large', 'Send less.')
    chunks.push(chunk)
  }
  if (!incoming.headers['content-type']?.startsWith('application/json')) {
    throw new SatchelError('invalid', 'media_type', 'Send JSON.')
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch (cause) {
    throw isSatchelError(cause) ? cause : new SatchelError('invalid', 'body_not_json', 'Not JSON.', { cause })
  }
}

async function writeOut(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  const reader = response.body?.getReader()
  outgoing.once('close', () => reader?.cancel().catch(() => undefined))
  for (;;) {
    const next = await reader?.read()
    if (!next || next.done) break
    outgoing.write(next.value)
  }
  outgoing.end()
}
