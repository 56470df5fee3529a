import { Agent, request } from 'node:http'

const VERSION = '2026-07-28'
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** One call of a tool as both doors take it. */
export interface Pair {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly rest: {
    readonly method: 'GET' | 'POST' | 'PATCH'
    readonly path: string
    readonly body?: unknown
  }
}

/** A client of a served satchel over kept connections. The caller closes it. */
export interface DoorClient {
  send(rest: Pair['rest'], headers?: Readonly<Record<string, string>>): Promise<unknown>
  callTool(tool: string, args: Pair['args']): Promise<unknown>
  /** Names of the tools that MCP lists. */
  tools(): Promise<readonly string[]>
  close(): void
}

/** `connections`: most at a time. */
export function openDoorClient(address: string, connections: number): DoorClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send: DoorClient['send'] = ({ method, path, body }, headers = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const type = text === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(
        `${address}${path}`,
        { method, agent, headers: { ...type, ...headers } },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => {
            const whole = Buffer.concat(chunks).toString()
            if ((answer.statusCode ?? 500) >= 300)
              reject(new Error(`${method} ${path}: ${answer.statusCode} ${whole}`))
            else resolve(JSON.parse(whole))
          })
        },
      )
      sent.on('error', reject)
      sent.end(text)
    })
  }
  const ask = async (method: string, params: object, name: Readonly<Record<string, string>> = {}) => {
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } }
    const headers = {
      accept: 'application/json',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...name,
    }
    const answer = await send({ method: 'POST', path: '/mcp', body }, headers)
    return (answer as { result: { isError?: boolean; tools?: { name: string }[] } }).result // as MCP answers
  }
  return {
    send,
    async callTool(name, args) {
      const result = await ask('tools/call', { name, arguments: args }, { 'mcp-name': name })
      if (result.isError) throw new Error(`${name} failed over MCP: ${JSON.stringify(result)}`)
      return result
    },
    async tools() {
      return (await ask('tools/list', {})).tools?.map(({ name }) => name) ?? []
    },
    close: () => agent.destroy(),
  }
}
