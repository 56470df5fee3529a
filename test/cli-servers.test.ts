import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { openProject, type Running } from './fixtures/run-cli.ts'

/** Where a server said it listens. */
async function addressOf(running: Running): Promise<string> {
  const [line] = await running.heard('out', /^\{.*\}\n/)
  return JSON.parse(line).listeners[0].address
}

/** As many editors save: nobody sees a file that is cut and not yet written again. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })

test('serve answers REST and MCP until a signal, and exits 0 for SIGTERM', async (t) => {
  const { start } = await openProject(t)
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'])
  const address = await addressOf(running)

  const health = await fetch(`${address}/health`)
  const mcp = await post(`${address}/mcp`, initialize)
  await mcp.body?.cancel()
  running.send('SIGTERM')
  const ran = await running.done

  assert.deepEqual([health.status, mcp.status, ran.code], [200, 200, 0])
  assert.equal(ran.out.split('\n').length, 2, 'one JSON document')
  assert.match(ran.err, /token for callers from elsewhere: [\w-]{32}\n/)
})

test('the API document demands the header of a field that the tool demands', async (t) => {
  const { start } = await openProject(t)
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'])
  const address = await addressOf(running)

  const { paths } = JSON.parse(await (await fetch(`${address}/openapi.json`)).text())
  const unmatched = await fetch(`${address}/handoffs/latest`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"append":{}}',
  })
  const { errors } = JSON.parse(await unmatched.text())
  running.send('SIGTERM')
  await running.done

  const header = (operation: { parameters: { name: string; required: boolean }[] }) =>
    operation.parameters.find(({ name }) => name === 'if-match')?.required
  assert.equal(header(paths['/handoffs/{id}'].patch), true)
  assert.equal(header(paths['/handoffs/{id}/transition'].post), false)
  assert.deepEqual(errors, [{ pointer: '/if_match', message: 'is missing; it is of type string' }])
})

test('serve exits 130 when it is interrupted', async (t) => {
  const { start } = await openProject(t)
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'])

  await addressOf(running)
  running.send('SIGINT')

  assert.equal((await running.done).code, 130)
})

test('an invitation to a room that serve serves at every address can be redeemed on this machine', async (t) => {
  const { root, start, satchel } = await openProject(t)
  await writeFile(join(root, 'plan.md'), '# Plan\n')
  await writeFile(join(root, 'room.yaml'), 'workspace: { file: plan.md }\n')
  const env = { HOME: root }
  const running = start(['serve', '--host', '0.0.0.0', '--port', '0', '--json', '-c', 'room.yaml'], { env })
  await addressOf(running)

  const invited = await satchel(['workspace', 'invite', '--json', '-c', 'room.yaml'], { env })
  assert.equal(invited.code, 0, invited.out)
  const joined = await satchel(['workspace', 'join', JSON.parse(invited.out).uri, '--json'], { env })
  running.send('SIGTERM')
  await running.done

  assert.equal(joined.code, 0, joined.err)
  assert.equal(typeof JSON.parse(joined.out).participant_id, 'string')
})

test('guests come into a room that mcp --transport serves as into one behind serve: invited, joined, called', async (t) => {
  const { root, start, satchel } = await openProject(t)
  const file = join(root, 'plan.md')
  await writeFile(file, '# Plan\n')
  const env = { HOME: root }
  const running = start(['mcp', '--transport', 'streamable-http', '--port', '0', '--json', '--room', file], {
    env,
  })
  const address = await addressOf(running)

  const invited = await satchel(['workspace', 'invite', '--json', '--room', file], { env })
  const joined = await satchel(['workspace', 'join', JSON.parse(invited.out).uri ?? '', '--json'], { env })
  const called = await satchel(['workspace', 'call', 'status', '--json'], { env })
  const protocol = await fetch(`${address}/protocol`)
  const page = await fetch(`${address}/`)
  running.send('SIGTERM')
  await running.done

  assert.equal(invited.code, 0, invited.out)
  assert.equal(joined.code, 0, joined.err)
  assert.equal(called.code, 0, called.err)
  assert.equal(JSON.parse(called.out).name, 'plan')
  assert.deepEqual([protocol.status, page.status], [200, 404])
})

test('a token of the configuration is not printed', async (t) => {
  const { start } = await openProject(t)
  const env = { SATCHEL_TOKEN: 'a-token-of-mine' }
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'], { env })

  await addressOf(running)
  running.send('SIGTERM')
  const ran = await running.done

  assert.doesNotMatch(ran.err, /token/)
})

test('mcp --transport streamable-http serves /mcp and no REST', async (t) => {
  const { start } = await openProject(t)
  const running = start([
    'mcp',
    '--transport',
    'streamable-http',
    '--port',
    '0',
    '--json',
    '--profile',
    'core',
  ])
  const address = await addressOf(running)

  const mcp = await post(`${address}/mcp`, initialize)
  await mcp.body?.cancel()
  const rest = await fetch(`${address}/openapi.json`)
  running.send('SIGTERM')
  const ran = await running.done

  assert.match(address, /^http:\/\/127\.0\.0\.1:/)
  assert.deepEqual([mcp.status, rest.status, ran.code], [200, 404, 0])
})

test('mcp --transport sse serves the older transport and no /mcp', async (t) => {
  const { start } = await openProject(t)
  const running = start(['mcp', '--transport', 'sse', '--port', '0', '--json'])
  const address = await addressOf(running)

  const stream = await fetch(`${address}/sse`)
  const first = await stream.body?.getReader().read()
  const mcp = await post(`${address}/mcp`, initialize)
  running.send('SIGTERM')
  const ran = await running.done

  assert.match(Buffer.from(first?.value ?? []).toString(), /^event: endpoint\ndata: \/messages\?sessionId=/)
  assert.deepEqual([stream.status, mcp.status, ran.code], [200, 404, 0])
})

test('a busy port is exit 7 and says so', async (t) => {
  const { start, satchel } = await openProject(t)
  const first = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'])
  const { port } = new URL(await addressOf(first))

  const second = await satchel(['serve', '--host', '127.0.0.1', '--port', port])
  first.send('SIGTERM')
  await first.done

  assert.equal(second.code, 7)
  assert.match(second.err, new RegExp(`${port}: it is taken`))
})

test('with http.reload a changed file starts a new host at the same port; one that cannot be used changes nothing', async (t) => {
  const { root, start } = await openProject(t)
  const file = join(root, 'satchel.yaml')
  const before = await readFile(file, 'utf8')
  await writeFile(file, `${before}http: { reload: true }\n`)
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'])
  const address = await addressOf(running)

  await replace(file, `${before}htp: {}\n`)
  await running.heard('err', /cannot be used/)
  const still = await fetch(`${address}/health`)
  await replace(file, `${before}http: { reload: true, log_level: debug }\n`)
  await running.heard('err', /started again/)
  running.send('SIGTERM')
  const ran = await running.done

  assert.deepEqual([still.status, ran.code], [200, 0])
})

test('with http.reload a file that was cut counts when it is written anew', async (t) => {
  const { root, start } = await openProject(t)
  const file = join(root, 'satchel.yaml')
  const config = `${await readFile(file, 'utf8')}http: { reload: true }\n`
  await writeFile(file, config)
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'])
  await addressOf(running)

  await writeFile(file, '')
  await sleep(400) // longer than the steps of an editor count as one change
  await writeFile(file, config)
  await running.heard('err', /started again/)
  await replace(file, config)
  await running.heard('err', /started again[\s\S]*started again/)
  running.send('SIGTERM')
  const ran = await running.done

  assert.equal(ran.err.match(/started again/g)?.length, 2)
})

test('more than one worker is noted: one process serves', async (t) => {
  const { start } = await openProject(t)
  const env = { SERVER_WORKERS: '4' }
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'], { env })

  await addressOf(running)
  running.send('SIGTERM')

  assert.match((await running.done).err, /one process serves/)
})

test('an unknown log level is exit 3', async (t) => {
  const { satchel } = await openProject(t)

  const ran = await satchel(['serve', '--json'], { env: { SERVER_LOG_LEVEL: 'loud' } })

  assert.equal(ran.code, 3)
  assert.equal(JSON.parse(ran.out).error.reason, 'config_invalid')
})

test('mcp over stdio answers until standard input ends, with nothing but protocol on stdout', async (t) => {
  const { satchel } = await openProject(t)
  const messages = [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'probe_echo', arguments: { id: 'x' } } },
  ]

  const ran = await satchel(['mcp'], { stdin: messages.map((one) => `${JSON.stringify(one)}\n`).join('') })

  const answers = ran.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(ran.code, 0)
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  )
  assert.equal(answers[1].result.structuredContent.got.id, 'x')
})

test('tools prints what each tool costs, and what passes a ceiling of a client', async (t) => {
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

test('plugin new makes a plugin that passes its check and packs; a used folder is left alone', async (t) => {
  const { root, satchel } = await openProject(t)

  const made = await satchel(['plugin', 'new', '@acme/satchel-word-count', '--json'])
  const again = await satchel(['plugin', 'new', 'satchel-word-count', '--json'])
  const folder = join(root, 'satchel-word-count')
  const checked = await satchel(['plugin', 'check', '--json'], { cwd: folder })
  const used = await satchel(['word-count', 'count', 'one two three', '--json'], { cwd: folder })
  const packed = await satchel(['plugin', 'pack', '--json'], { cwd: folder })

  assert.deepEqual([made.code, JSON.parse(made.out).linked], [0, ['satchel', 'zod']])
  assert.deepEqual([again.code, JSON.parse(again.out).error.reason], [5, 'folder_exists'])
  assert.deepEqual(
    [checked.code, JSON.parse(checked.out).findings, JSON.parse(checked.out).tools],
    [0, [], 1],
  )
  assert.deepEqual(JSON.parse(used.out), { words: 3, longest: 'three' })
  assert.equal(packed.code, 0, packed.err)
  const names = JSON.parse(packed.out).files.map(({ path }: { path: string }) => path)
  assert.deepEqual(names.sort(), [
    'LICENSE',
    'README.md',
    'package.json',
    'plugin.js',
    'tools/word-count-count.js',
  ])
  assert.ok((await readdir(folder)).includes(JSON.parse(packed.out).filename))
})

test('plugin new takes npm names only', async (t) => {
  const { root, satchel } = await openProject(t)
  for (const name of ['../evil', 'Upper', 'a b', '.', '@/x', 'x'.repeat(61), '']) {
    const ran = await satchel(['plugin', 'new', '--json', '--', name])
    assert.deepEqual([ran.code, JSON.parse(ran.out).error.reason], [2, 'plugin_name'], name)
  }
  assert.deepEqual(await readdir(root), ['satchel.yaml'])
})

test('plugin check names what is wrong and exits 3; pack then refuses', async (t) => {
  const { root, satchel } = await openProject(t)
  await satchel(['plugin', 'new', 'satchel-odd'])
  const folder = join(root, 'satchel-odd')
  const file = join(folder, 'tools', 'odd-count.js')
  const source = await readFile(file, 'utf8')
  await writeFile(file, source.replace("title: 'Count words'", "title: 'Count\\u200b words'"))

  const checked = await satchel(['plugin', 'check', 'satchel-odd', '--json'])
  const packed = await satchel(['plugin', 'pack', 'satchel-odd', '--json'])

  assert.equal(checked.code, 3)
  assert.deepEqual(
    JSON.parse(checked.out).findings.map(({ rule }: { rule: string }) => rule),
    ['hidden_text'],
  )
  assert.deepEqual([packed.code, JSON.parse(packed.out).error.reason], [3, 'plugin_findings'])
})

test('what is no plugin is refused with its file named', async (t) => {
  const { root, satchel } = await openProject(t)
  await mkdir(join(root, 'p'))
  const cases: [string, string, number, string][] = [
    ['none.js', 'export {}', 3, 'plugin_shape'],
    [
      'old.js',
      "export default { name: 'a', version: '1', apiVersion: 2, setup() {}, config: {} }",
      3,
      'plugin_api',
    ],
    ['throws.js', "throw new Error('secret of import')", 1, 'plugin_load'],
  ]
  for (const [name, source, code, reason] of cases) {
    await writeFile(join(root, 'p', name), source)
    const ran = await satchel(['plugin', 'check', join('p', name), '--json'])
    const { error } = JSON.parse(ran.out)
    assert.deepEqual([ran.code, error.reason, error.message.includes(name)], [code, reason, true], name)
    assert.doesNotMatch(ran.out, /secret of import/)
    if (name === 'throws.js') assert.match(ran.err, /secret of import/, 'the log has the cause')
  }
  assert.equal((await satchel(['plugin', 'check', 'nowhere'])).code, 4)
})

test('a plugin whose declarations are not those of the contract is refused with the member that is wrong', async (t) => {
  const { root, satchel } = await openProject(t)
  const contract = pathToFileURL(join(import.meta.dirname, '../server/plugin.ts')).href
  const tool = (change: string) => `
    import { z } from '${import.meta.resolve('zod')}'
    import { definePlugin } from '${contract}'
    const tool = {
      name: 'greet', title: 'Greet', description: 'Greets.', profile: 'core',
      input: z.object({ name: z.string() }), output: z.object({ greeting: z.string() }),
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      example: { name: 'Ada' }, handler: async (_ctx, { name }) => ({ greeting: name }), digest: () => 'said',
    }
    const lent = (tools) => ({ tools })
    export default definePlugin({
      name: 'greeter', version: '1.0.0', apiVersion: 1, config: z.object({}), setup: async () => ${change},
    })`
  const cases: readonly (readonly [string, RegExp])[] = [
    ['undefined', /its setup gave no object of declarations/],
    ['lent(tool)', /tools must be a list/],
    ['lent([greet])'.replace('greet', '"greet"'), /tool 0: is no object made by defineTool/],
    ['lent([{ ...tool, name: "Greet Me!" }])', /tool "Greet Me!": name must be 1 to 48 of a-z/],
    ['lent([{ ...tool, description: "" }])', /tool "greet": description must be a text/],
    ['lent([{ ...tool, input: {} }])', /input must be a zod object/],
    ['lent([{ ...tool, annotations: { readOnly: true } }])', /annotations.destructive must be true or false/],
    ['lent([{ ...tool, digest: "x" }])', /digest must be a function/],
    ['lent([{ ...tool, http: { method: "GET", path: "greet" } }])', /http.path must begin with \//],
    [
      'lent([{ ...tool, http: { method: "GET", path: "/g/{nam}" } }])',
      /http.path names "nam", which is no field/,
    ],
    ['lent([{ ...tool, cli: { verb: "Greet" } }])', /cli.verb must be one or two words/],
    ['lent([{ ...tool, cli: { verb: "greet", positional: ["[nam]"] } }])', /cli.positional names "nam"/],
    [
      'lent([{ ...tool, input: z.object({ at: z.date() }), example: {} }])',
      /tool "greet" has no JSON Schema: Date/,
    ],
  ]
  await mkdir(join(root, 'p'))
  for (const [index, [change, message]] of cases.entries()) {
    const file = join('p', `case-${index}.mjs`)
    await writeFile(join(root, file), tool(change))
    const ran = await satchel(['plugin', 'check', file, '--json'])
    const { error } = JSON.parse(ran.out)
    assert.deepEqual([ran.code, error.reason], [3, 'plugin_shape'], change)
    assert.match(error.message, message, change)
  }
})
