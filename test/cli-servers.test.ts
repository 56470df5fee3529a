import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProject } from '../server/cli/testing/run-cli.ts'
import { createClient } from '../server/client.ts'
import { initialize } from '../server/mcp/testing/messages.ts'
import { until } from './harness/until.ts'

/** As many editors save: no reader sees a file that is cut and not yet written again. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

/** A plugin that fails in `start` where its settings say so. */
const LATE = `
import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
export default {
  name: 'late', version: '1.0.0', apiVersion: 1, config: z.object({ greeting: z.string().optional() }),
  async setup(_host, { greeting }) {
    return { async start() { if (greeting === 'fail') throw new Error('start of late failed') } }
  },
}
`

/** Resolves when the server answers, which it does not while it starts again. */
async function answers(address: string): Promise<void> {
  while (
    !(await fetch(`${address}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(20)
}

const INITIALIZE = initialize('2025-06-18', 1)

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
  const { serve } = await openProject(t)
  const { address, stop } = await serve()

  const health = await fetch(`${address}/health`)
  const mcp = await post(`${address}/mcp`, INITIALIZE)
  await mcp.body?.cancel()
  const ran = await stop()

  assert.deepEqual([health.status, mcp.status, ran.code], [200, 200, 0])
  assert.equal(ran.out.split('\n').length, 2, 'one JSON document')
  assert.match(ran.err, /token for remote callers: [\w-]{32}\n/)
})

test('the API document demands the header of a field that the tool demands', async (t) => {
  const { serve } = await openProject(t)
  const { address, stop } = await serve()

  const { paths } = JSON.parse(await (await fetch(`${address}/openapi.json`)).text())
  const unmatched = await fetch(`${address}/handoffs/latest`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"append":{}}',
  })
  const { errors } = JSON.parse(await unmatched.text())
  await stop()

  const header = (operation: { parameters: { name: string; required: boolean }[] }) =>
    operation.parameters.find(({ name }) => name === 'if-match')?.required
  assert.equal(header(paths['/handoffs/{id}'].patch), true)
  assert.equal(header(paths['/handoffs/{id}/transition'].post), false)
  assert.deepEqual(errors, [{ pointer: '/if_match', message: 'is missing; it is of type string' }])
})

test('serve exits 130 when it is interrupted', async (t) => {
  const { serve } = await openProject(t)
  const running = await serve()

  running.send('SIGINT')

  assert.equal((await running.done).code, 130)
})

test('an invitation to a room that serve serves at every address can be redeemed on this machine', async (t) => {
  const { root, serve, satchel } = await openProject(t)
  await writeFile(join(root, 'plan.md'), '# Plan\n')
  await writeFile(join(root, 'room.yaml'), 'workspace: { file: plan.md }\n')
  const env = { HOME: root }
  const words = ['serve', '--host', '0.0.0.0', '-c', 'room.yaml']
  const { address, stop } = await serve({ words, env })

  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/, 'an address that opens')
  assert.equal((await fetch(`${address}/health`)).status, 200)
  const invited = await satchel(['workspace', 'invite', '--json', '-c', 'room.yaml'], { env })
  assert.equal(invited.code, 0, invited.out)
  const joined = await satchel(['workspace', 'join', JSON.parse(invited.out).uri, '--json'], { env })
  await stop()

  assert.equal(joined.code, 0, joined.err)
  assert.equal(typeof JSON.parse(joined.out).participant_id, 'string')
})

test('guests come into a room that mcp --transport serves as into one behind serve: invited, joined, called', async (t) => {
  const { root, serve, satchel } = await openProject(t)
  const file = join(root, 'plan.md')
  await writeFile(file, '# Plan\n')
  const env = { HOME: root }
  const words = ['mcp', '--transport', 'streamable-http', '--room', file]
  const { address, stop } = await serve({ words, env })

  const invited = await satchel(['workspace', 'invite', '--json', '--room', file], { env })
  const joined = await satchel(['workspace', 'join', JSON.parse(invited.out).uri ?? '', '--json'], { env })
  const called = await satchel(['workspace', 'call', 'status', '--json'], { env })
  const protocol = await fetch(`${address}/protocol`)
  const page = await fetch(`${address}/`)
  await stop()

  assert.equal(invited.code, 0, invited.out)
  assert.equal(joined.code, 0, joined.err)
  assert.equal(called.code, 0, called.err)
  assert.equal(JSON.parse(called.out).name, 'plan')
  assert.deepEqual([protocol.status, page.status], [200, 404])
})

test('a token of the configuration is not printed', async (t) => {
  const { serve } = await openProject(t)
  const env = { SATCHEL_TOKEN: 'a-token-of-mine' }
  const { stop } = await serve({ env })

  const ran = await stop()

  assert.doesNotMatch(ran.err, /token/)
})

test('mcp --transport streamable-http serves /mcp and no REST', async (t) => {
  const { serve } = await openProject(t)
  const words = ['mcp', '--transport', 'streamable-http', '--profile', 'core']
  const { address, stop } = await serve({ words })

  const mcp = await post(`${address}/mcp`, INITIALIZE)
  await mcp.body?.cancel()
  const rest = await fetch(`${address}/openapi.json`)
  const ran = await stop()

  assert.match(address, /^http:\/\/127\.0\.0\.1:/)
  assert.deepEqual([mcp.status, rest.status, ran.code], [200, 404, 0])
})

test('mcp --transport sse serves the older transport and no /mcp', async (t) => {
  const { serve } = await openProject(t)
  const { address, stop } = await serve({ words: ['mcp', '--transport', 'sse'] })

  const stream = await fetch(`${address}/sse`)
  const first = await stream.body?.getReader().read()
  const mcp = await post(`${address}/mcp`, INITIALIZE)
  const ran = await stop()

  assert.match(Buffer.from(first?.value ?? []).toString(), /^event: endpoint\ndata: \/messages\?sessionId=/)
  assert.deepEqual([stream.status, mcp.status, ran.code], [200, 404, 0])
})

test('a busy port is exit 7 and says so', async (t) => {
  const { serve, satchel } = await openProject(t)
  const first = await serve()
  const { port } = new URL(first.address)

  const second = await satchel(['serve', '--host', '127.0.0.1', '--port', port])
  await first.stop()

  assert.equal(second.code, 7)
  assert.match(second.err, new RegExp(`${port}: it is taken`))
})

test('with http.reload a changed file starts a new host at the same port; one that cannot be used changes nothing', async (t) => {
  const { root, serve } = await openProject(t)
  const file = join(root, 'satchel.yaml')
  const before = await readFile(file, 'utf8')
  await writeFile(file, `${before}http: { reload: true }\n`)
  const running = await serve()
  const { address } = running

  await replace(file, `${before}htp: {}\n`)
  await running.heard('err', /cannot be used/)
  const still = await fetch(`${address}/health`)
  await replace(file, `${before}http: { reload: true, log_level: debug }\n`)
  await running.heard('err', /started again/)
  const ran = await running.stop()

  assert.deepEqual([still.status, ran.code], [200, 0])
})

for (const [fault, told, lines] of [
  ['a section of a built-in plugin', /embedding\.bogus/, ['embedding: { bogus: 1 }']],
  ['settings of a listed plugin', /plugins\.\.\/late\.mjs\.greting/, ['  ./late.mjs: { greting: x }']],
  ['a plugin that cannot be loaded', /broken\.mjs/, ['  ./broken.mjs: {}']],
] as const) {
  test(`with http.reload a fault in ${fault} closes nothing: it is logged, and the next change counts`, async (t) => {
    const { root, serve } = await openProject(t)
    const file = join(root, 'satchel.yaml')
    const before = await readFile(file, 'utf8')
    await writeFile(join(root, 'late.mjs'), LATE)
    await writeFile(join(root, 'broken.mjs'), 'export default {')
    await writeFile(file, `${before}http: { reload: true }\n`)
    const running = await serve()
    const { address } = running
    const stream = await fetch(`${address}/events`, { headers: { accept: 'text/event-stream' } })

    await replace(file, [`${before.trimEnd()}`, ...lines, 'http: { reload: true }\n'].join('\n'))
    let hasEnded = false
    void stream.text().finally(() => {
      hasEnded = true
    })
    const [logged] = await running.heard('err', /.*cannot be used; serving with the old one.*/)
    const still = await fetch(`${address}/health`)
    const hadEnded = hasEnded
    await replace(file, `${before}http: { reload: true }\n`)
    await running.heard('err', /started again/)
    running.send('SIGTERM')

    assert.match(logged, told)
    assert.deepEqual([hadEnded, still.status, (await running.done).code], [false, 200, 0])
  })
}

test('with http.reload a configuration that fails only when it is opened gives way to the old one', async (t) => {
  const { root, serve } = await openProject(t)
  const file = join(root, 'satchel.yaml')
  const before = await readFile(file, 'utf8')
  await writeFile(join(root, 'late.mjs'), LATE)
  await writeFile(file, `${before}http: { reload: true }\n`)
  const running = await serve()
  const { address } = running

  await replace(file, `${before}  ./late.mjs: { greeting: fail }\nhttp: { reload: true }\n`)
  const [logged] = await running.heard('err', /.*starting again with the old one.*/)
  await answers(address)
  await replace(file, `${before}  ./late.mjs: { greeting: fine }\nhttp: { reload: true }\n`)
  await running.heard('err', /started again/)
  const still = await fetch(`${address}/health`)
  running.send('SIGTERM')

  assert.match(logged, /start of late failed/)
  assert.deepEqual([still.status, (await running.done).code], [200, 0])
})

test('with http.reload a new token takes effect, and many changes leave no listeners behind', async (t) => {
  const { root, serve } = await openProject(t)
  const file = join(root, 'satchel.yaml')
  const before = await readFile(file, 'utf8')
  const settings = (token: string) =>
    `${before}http: { reload: true, local_proof: token, token: ${token.repeat(24)} }\n`
  await writeFile(file, settings('a'))
  const warnings: string[] = []
  const onWarning = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  const running = await serve()
  const { address } = running

  const letters = [...'bcdefghijklm']
  for (const [index, letter] of letters.entries()) {
    await replace(file, settings(letter))
    await running.heard('err', new RegExp(`(started again[\\s\\S]*){${index + 1}}`))
  }
  const asked = ['a', 'm'].map((letter) =>
    fetch(`${address}/openapi.json`, { headers: { authorization: `Bearer ${letter.repeat(24)}` } }),
  )
  const [old, renewed] = (await Promise.all(asked)).map(({ status }) => status)
  await running.stop()

  assert.deepEqual([old, renewed, warnings], [401, 200, []])
})

/** A plugin with a route that answers once `go` is in the project, and says so by `begun`. */
const HELD = `
import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
import { existsSync, watch, writeFileSync } from 'node:fs'
import { once } from 'node:events'
export default {
  name: 'held', version: '1.0.0', apiVersion: 1, config: z.object({}),
  async setup(host) {
    const at = (name) => host.projectRoot + '/' + name
    const handle = async () => {
      const folder = watch(host.projectRoot)
      writeFileSync(at('begun'), '')
      while (!existsSync(at('go'))) await once(folder, 'change')
      folder.close()
      return new Response('done')
    }
    return { routes: [{ method: 'GET', path: '/held', listeners: ['api'], guard: 'open', handle }] }
  },
}
`

test('with http.reload a connection made while the old host ends its calls is not refused: the new host answers it', async (t) => {
  const { root, serve } = await openProject(t)
  const file = join(root, 'satchel.yaml')
  await writeFile(join(root, 'held.mjs'), HELD)
  const before = `${await readFile(file, 'utf8')}  ./held.mjs: {}\n`
  await writeFile(file, `${before}http: { reload: true, metrics: true }\n`)
  const running = await serve({ words: ['serve', '--host', '127.0.0.1', '--project', root] })
  const { address } = running
  const alone = async (path: string): Promise<number | undefined> => {
    const [answer] = await once(get(`${address}${path}`, { agent: false }), 'response')
    answer.resume()
    return answer.statusCode
  }
  const stream = await fetch(`${address}/events`)
  const held = alone('/held')
  await until(() => existsSync(join(root, 'begun')))

  await replace(file, `${before}http: { reload: true, metrics: false }\n`)
  await stream.text() // the old host ends its streams first
  const asked = [alone('/health'), alone('/metrics')]
  await writeFile(join(root, 'go'), '')

  assert.deepEqual([await held, ...(await Promise.all(asked))], [200, 200, 404])
  assert.match((await running.stop()).err, /started again/)
})

test('with http.reload a file that was cut counts when it is written again', async (t) => {
  const { root, serve } = await openProject(t)
  const file = join(root, 'satchel.yaml')
  const config = `${await readFile(file, 'utf8')}http: { reload: true }\n`
  await writeFile(file, config)
  const running = await serve()

  await writeFile(file, '')
  await sleep(400) // longer than the steps of an editor count as one change
  await writeFile(file, config)
  await running.heard('err', /started again/)
  await replace(file, config)
  await running.heard('err', /started again[\s\S]*started again/)
  const ran = await running.stop()

  assert.equal(ran.err.match(/started again/g)?.length, 2)
})

test('more than one worker is noted: one process serves', async (t) => {
  const { serve } = await openProject(t)
  const env = { SERVER_WORKERS: '4' }
  const running = await serve({ env })

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
    INITIALIZE,
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

test('where the token file is the proof, it is private, a client of this user reads it, and others need the token', async (t) => {
  const { root, serve } = await openProject(t)
  const state = join(root, 'state')
  const before = process.env['XDG_STATE_HOME']
  t.after(() => {
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
  })
  await writeFile(join(root, 'satchel.yaml'), 'http: { local_proof: token }\n')
  const { address, stop } = await serve({ env: { XDG_STATE_HOME: state } })
  const client = createClient({ baseUrl: address })

  const { mode } = await stat(join(state, 'satchel/local-token'))
  await assert.rejects(client.health(), { code: 'unauthorized' })
  process.env['XDG_STATE_HOME'] = state
  const health = await client.health()
  await chmod(join(state, 'satchel/local-token'), 0o644)
  await assert.rejects(client.health(), { code: 'unauthorized' })
  await stop()

  assert.deepEqual([mode & 0o777, health.status], [0o600, 'healthy'])
})
