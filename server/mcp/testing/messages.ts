/** The messages of MCP clients. */

export type Message = Record<string, unknown> & { id?: unknown }

const META = 'io.modelcontextprotocol/'

/** The envelope every request of 2026-07-28 carries. */
export function envelope(extra: Record<string, unknown> = {}, capabilities: Record<string, unknown> = {}) {
  return {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'test', version: '1' },
    [`${META}clientCapabilities`]: capabilities,
    ...extra,
  }
}

/** The JSON-RPC request of 2026-07-28. */
export function modern(id: string | number, method: string, params: Record<string, unknown> = {}): Message {
  const { _meta, ...rest } = params
  return { jsonrpc: '2.0', id, method, params: { ...rest, _meta: { ...envelope(), ...(_meta as object) } } }
}

/** The JSON-RPC request of the versions before. */
export function legacy(id: string | number, method: string, params: Record<string, unknown> = {}): Message {
  return { jsonrpc: '2.0', id, method, params }
}

/** `initialize` of an older client. */
export function initialize(protocolVersion = '2025-11-25', id: string | number = 0): Message {
  return legacy(id, 'initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'old', version: '1' },
  })
}

/** A client that follows tasks. */
export const WITH_TASKS = { extensions: { [`${META}tasks`]: {} } }

/** The headers a request of 2026-07-28 repeats from its body. */
export function modernHeaders(message: Message): Record<string, string> {
  const params = message['params'] as Record<string, unknown> | undefined
  const name = params?.['name'] ?? params?.['uri'] ?? params?.['taskId']
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': String(message['method']),
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
}
