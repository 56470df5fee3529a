import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { killed } from '../harness/killed.ts'
import { undoAfter } from '../harness/undo.ts'
import { SATCHEL } from '../satchel-process.ts'
import type { Measurement } from './measurement.ts'
import { contentText } from './model-api.ts'
import type { Channel } from './probes.ts'
import { SERVER_FLAGS } from './project.ts'
import { argsOf, type ScriptedCall } from './stub-model.ts'

interface ToolResult {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** What a recorded client gives to its model of each call: it opens the session as the client did and takes the same channel. */
export async function replay(
  t: TestContext,
  folder: string,
  client: Pick<Measurement, 'initialize' | 'channel' | 'channel_on_error'>,
  calls: readonly ScriptedCall[],
  flags: readonly string[] = SERVER_FLAGS,
): Promise<readonly string[]> {
  const [program, ...words] = SATCHEL
  const server = spawn(program, [...words, 'mcp', ...flags], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      SATCHEL_PROJECT: folder,
      NODE_DISABLE_COMPILE_CACHE: '1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  undoAfter(t, () => killed(server))
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const send = (message: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answer = async (id: number): Promise<ToolResult> => {
    for (;;) {
      const message = JSON.parse(String((await lines.next()).value)) as { id?: number; result: ToolResult }
      if (message.id === id) return message.result
    }
  }

  send({ id: 0, method: 'initialize', params: client.initialize })
  await answer(0)
  send({ method: 'notifications/initialized' })
  const given: string[] = []
  for (const [at, call] of calls.entries()) {
    const params = { name: call.tool, arguments: argsOf(call, given) }
    send({ id: at + 1, method: 'tools/call', params })
    const result = await answer(at + 1)
    given.push(inChannel(result.isError ? client.channel_on_error : client.channel, result))
  }
  server.stdin.end()
  await once(server, 'exit')
  return given
}

/** A result without data reaches the model as text in every client. */
function inChannel(channel: Channel, { content, structuredContent }: ToolResult): string {
  const [text, data] = [contentText(content), JSON.stringify(structuredContent)]
  if (channel === 'both') return `${text}\n${data ?? ''}`
  return channel === 'data' ? (data ?? text) : text
}
