import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openProject } from '../testing/run-cli.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

test('tools prints the size of each tool, and which exceed a limit of a client', async (t) => {
  const { satchel } = await openProject(t)

  const core = await satchel(['tools', '--profile', 'core', '--json'])
  const full = await satchel([
    'tools',
    '--profile',
    'full',
    '--exclude',
    'probe_slow',
    '--client',
    'codex',
    '--json',
  ])
  const text = await satchel(['tools', '--profile', 'core'])
  const unknown = await satchel(['tools', '--client', 'cursr', '--json'])

  interface Price {
    readonly name: string
    readonly plugin: string
    readonly tokens: number
  }
  const probes = (out: string): string[] =>
    JSON.parse(out).tools.flatMap(({ name, plugin }: Price) => (plugin === 'probe' ? [name] : []))
  const { tools, total_tokens } = JSON.parse(core.out)
  assert.deepEqual(probes(core.out), ['probe_echo'])
  assert.equal(
    total_tokens,
    tools.reduce((sum: number, { tokens }: Price) => sum + tokens, 0),
  )
  assert.match(text.out, /^probe_echo +core +\d+ +\d+$/m)
  assert.deepEqual(probes(full.out), ['probe_check', 'probe_echo', 'probe_fail', 'probe_where'])
  assert.deepEqual(JSON.parse(full.out).warnings, [])
  assert.deepEqual([unknown.code, JSON.parse(unknown.out).error.reason], [4, 'unknown_client'])
})

test('the tokens of tools are those of the tools/list a client gets', async (t) => {
  const { satchel } = await openProject(t)
  const messages = [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ]

  const listed = await satchel(['mcp', '--profile', 'full'], {
    stdin: messages.map((one) => `${JSON.stringify(one)}\n`).join(''),
  })
  const priced = await satchel(['tools', '--profile', 'full', '--json'])

  const counted = JSON.parse(listed.out.trimEnd().split('\n')[1] ?? '').result.tools.map(
    ({ name, title, description, inputSchema }: Record<string, unknown>) => [
      name,
      Math.ceil(Buffer.byteLength(JSON.stringify({ name, title, description, inputSchema })) / 4),
    ],
  )
  assert.ok(counted.length > 3)
  assert.deepEqual(
    JSON.parse(priced.out).tools.map(({ name, tokens }: Record<string, unknown>) => [name, tokens]),
    counted,
  )
})

test('the flags of mcp set what a client is answered; a bound outside the limits is refused', async (t) => {
  const { satchel } = await openProject(t)
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'probe_echo', arguments: { id: 'one' } },
  }
  const answered = async (...flags: string[]): Promise<string> => {
    const { out } = await satchel(['mcp', ...flags], {
      stdin: [initialize, { jsonrpc: '2.0', method: 'notifications/initialized' }, call]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(''),
    })
    return JSON.parse(out.trimEnd().split('\n')[1] ?? '').result.content[0].text
  }

  const whole = await answered()
  const short = await answered('--answer-channel', 'both')
  const refused = await satchel(['mcp', '--answer-tokens', '1', '--json'], { stdin: '' })

  assert.ok(whole.startsWith(`${short}\n`), `${whole} and ${short}`)
  assert.doesNotMatch(short, /\n/)
  assert.equal(refused.code, 2)
  assert.match(refused.out + refused.err, /answer.tokens/)
})
