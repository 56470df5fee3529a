import { envelope } from '../../../server/mcp/testing/messages.ts'

/** A line that is sent to the MCP door: JSON-RPC, or what looks like it. */
export interface MessageCase {
  readonly name: string
  text(): string
}

const CALL = { name: 'handoff_list', arguments: {}, _meta: envelope() }

function message(name: string, value: unknown): MessageCase {
  return { name, text: () => JSON.stringify(value) }
}

function call(name: string, more: Record<string, unknown>): MessageCase {
  return message(name, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL, ...more })
}

const FRAMES: readonly MessageCase[] = [
  '',
  ' ',
  'x',
  '{',
  '}',
  '[]',
  '[1]',
  '[[]]',
  'null',
  '1',
  '"x"',
  'true',
  '{}',
  '\ufeff{}',
  '\u0000',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"ping","id":1}{"jsonrpc":"2.0","method":"ping","id":2}',
].map((text) => ({ name: `frame: ${JSON.stringify(text)}`, text: () => text }))

const IDS: readonly MessageCase[] = [
  null,
  1.5,
  -1,
  2 ** 53,
  1e308,
  '',
  '__proto__',
  'x'.repeat(100_000),
  true,
  [],
  {},
  [1],
  { a: 1 },
].map((id) => call(`id: ${JSON.stringify(id).slice(0, 30)}`, { id }))

const METHODS: readonly MessageCase[] = [
  '',
  'constructor',
  '__proto__',
  'toString',
  'tools/call/../list',
  'rpc.discover',
  'notifications/cancelled',
  'notifications/unknown',
  'x'.repeat(100_000),
  1,
  null,
  {},
].map((method) => call(`method: ${JSON.stringify(method).slice(0, 30)}`, { method }))

const PARAMS: readonly MessageCase[] = [
  call('params: absent', { params: undefined }),
  ...[
    null,
    [],
    'x',
    1,
    {},
    { name: null },
    { name: '__proto__' },
    { name: 'constructor', arguments: {} },
    { name: 'x'.repeat(100_000) },
  ].map((params) => call(`params: ${JSON.stringify(params).slice(0, 40)}`, { params })),
  ...[
    null,
    [],
    'x',
    1,
    { __proto__: null, constructor: 1 },
    { limit: 1e308 },
    { cursor: '\u0000' },
    { cursor: 'x'.repeat(100_000) },
  ].map((given) =>
    call(`arguments: ${JSON.stringify(given).slice(0, 40)}`, { params: { ...CALL, arguments: given } }),
  ),
  ...[
    null,
    [],
    'x',
    { 'io.modelcontextprotocol/protocolVersion': '9999-99-99' },
    { 'io.modelcontextprotocol/protocolVersion': 1 },
    { progressToken: {} },
    { progressToken: null },
  ].map((_meta) => call(`meta: ${JSON.stringify(_meta).slice(0, 50)}`, { params: { ...CALL, _meta } })),
  call('version: absent', { jsonrpc: undefined }),
  call('version: 1.0', { jsonrpc: '1.0' }),
  message('answer without a question', { jsonrpc: '2.0', id: 99, result: {} }),
  message('error without a question', { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }),
  message('cancelling everything', {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: null },
  }),
]

const SIZES: readonly MessageCase[] = [
  { name: 'depth: 5,000 lists', text: () => '['.repeat(5000) + ']'.repeat(5000) },
  { name: 'depth: 200,000 lists, open', text: () => '['.repeat(200_000) },
  { name: 'depth: 200,000 objects, open', text: () => '{"a":'.repeat(200_000) },
  {
    name: 'depth: 5,000 in arguments',
    text: () =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL }).replace(
        '"arguments":{}',
        `"arguments":{"plan":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      ),
  },
  {
    name: 'values: a batch of 20,000',
    text: () =>
      JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))),
  },
  {
    name: 'values: 200,000 members',
    text: () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          ...CALL,
          arguments: Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, 1])),
        },
      }),
  },
  {
    name: 'length: one string of 5 MB',
    text: () => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(5_000_000) }),
  },
]

/** Every case for a line of MCP. */
export const MESSAGE_CASES: readonly MessageCase[] = [...FRAMES, ...IDS, ...METHODS, ...PARAMS, ...SIZES]
