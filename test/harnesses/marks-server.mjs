/**
 * `marks-server.mjs TEXT DATA`: an MCP server over stdio whose results have TEXT in the text and DATA in the data.
 * Which of them reaches the model tells what a harness hands on, apart from what satchel puts into either.
 */
import { createInterface } from 'node:readline'

const [text, data] = process.argv.slice(2)
const tools = ['marks_result', 'marks_error'].map((name) => ({
  name,
  description: 'Returns marks.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'object', properties: { mark: { type: 'string' } } },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}))

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'marks', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({
    content: [{ type: 'text', text }],
    structuredContent: { mark: data },
    isError: name === 'marks_error',
  }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = answers[method]?.(params ?? {})
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}
