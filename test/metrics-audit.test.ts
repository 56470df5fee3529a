import assert from 'node:assert/strict'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveIndex } from '../plugins/modules/output/index-file.ts'
import { openProject } from '../server/cli/testing/run-cli.ts'
import { modern, modernHeaders } from '../server/mcp/testing/messages.ts'
import { createMetrics } from '../server/metrics.ts'

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const RECORD = { title: 'a', objective: `b ${SECRET}`, current_state: 'c' }

test('a server with metrics and an audit log counts its calls, and writes down who changed what, without texts', async (t) => {
  const { root, serve } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'http: { metrics: true }\ntools: { audit_log: audit.jsonl }\n')
  const { address, stop } = await serve()
  const post = (body: unknown): Promise<Response> =>
    fetch(`${address}/handoffs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  const created: { id?: unknown } = JSON.parse(await (await post(RECORD)).text())
  const refused = await post({ ...RECORD, nothing: 1 })
  await fetch(`${address}/handoffs`)
  const audit = await readFile(join(root, 'audit.jsonl'), 'utf8')
  const metrics = await fetch(`${address}/metrics`)
  const text = await metrics.text()
  const { mode } = await stat(join(root, 'audit.jsonl'))
  await stop()

  assert.equal(refused.status, 400)
  const lines = audit
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one))
  assert.deepEqual(
    lines.map(({ message, door, caller, outcome, reason }) => [message, door, caller, outcome, reason]),
    [
      ['handoff_create', 'http', 'local', 'ok', undefined],
      ['handoff_create', 'http', 'local', 'invalid', 'unknown_argument'],
    ],
  )
  assert.equal(lines[0].output.id, created.id)
  assert.ok(!audit.includes(SECRET) && !audit.includes('objective'))
  assert.equal(mode & 0o777, 0o600)
  assert.match(String(metrics.headers.get('content-type')), /^application\/openmetrics-text; version=1\.0\.0/)
  assert.match(text, /^satchel_calls_total\{tool="handoff_create",door="http",outcome="ok"\} 1$/m)
  assert.match(text, /^satchel_calls_total\{tool="handoff_create",door="http",outcome="invalid"\} 1$/m)
  assert.match(text, /^satchel_event_loop_delay_seconds\{quantile="0\.99"\} [\d.]+$/m)
})

test('a call that a token does not allow is counted and written down too', async (t) => {
  const { root, serve, satchel } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'http: { metrics: true }\ntools: { audit_log: audit.jsonl }\n')
  const env = { XDG_STATE_HOME: join(root, 'state') }
  const token = (await satchel(['token', 'create', 'reader'], { env })).out.trim()
  const { address, stop } = await serve({ env })
  const message = modern(1, 'tools/call', {
    name: 'handoff_create',
    arguments: { ...RECORD, project: 'here' },
  })
  const post = async (path: string, body: unknown, headers = {}): Promise<number> =>
    (
      await fetch(`${address}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify(body),
      })
    ).status

  const statuses = [await post('/handoffs', RECORD), await post('/mcp', message, modernHeaders(message))]
  const audit = await readFile(join(root, 'audit.jsonl'), 'utf8')
  const metrics = await (await fetch(`${address}/metrics`)).text()
  await stop()

  assert.deepEqual(statuses, [403, 403])
  const lines = audit
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one))
  assert.deepEqual(
    lines.map(({ message, door, caller, input, reason }) => [message, door, caller, input, reason]),
    [
      ['handoff_create', 'http', 'token:reader', {}, 'scope_missing'],
      ['handoff_create', 'mcp', 'token:reader', { project: 'here' }, 'scope_missing'],
    ],
  )
  assert.match(metrics, /^satchel_calls_total\{tool="handoff_create",door="mcp",outcome="forbidden"\} 1$/m)
})

test('plugins add their numbers: the room its queue and flushes, the catalogue the age of its ingest', async (t) => {
  const { root, serve } = await openProject(t)
  await writeFile(join(root, 'plan.md'), '# Plan\n')
  await writeFile(join(root, 'odd.js'), ODD_PLUGIN)
  await writeFile(
    join(root, 'satchel.yaml'),
    'http: { metrics: true }\nworkspace: { file: plan.md }\noutput_dir: output\nplugins: { ./odd.js: {} }\n',
  )
  await mkdir(join(root, 'output/.satchel/search'), { recursive: true })
  await saveIndex(join(root, 'output'), {
    format: 1,
    parser_version: '0',
    finished_at: new Date(Date.now() - 3_600_000).toISOString(),
    repositories: [],
    records: [],
    leftovers: [],
    stale_vectors: [],
    had_vectors: false,
  })
  const { address, stop } = await serve()

  const metrics = await fetch(`${address}/metrics`)
  const text = await metrics.text()
  const { err } = await stop()

  const numberOf = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  assert.equal(numberOf('satchel_workspace_queue_length'), 0)
  assert.ok(numberOf('satchel_workspace_journal_flushes_total') >= 1, text)
  assert.equal(numberOf('satchel_modules_ingests_running'), 0)
  assert.ok(Math.abs(numberOf('satchel_modules_ingest_age_seconds') - 3600) < 300)
  assert.ok(numberOf('satchel_modules_index_age_seconds') < 300)
  assert.equal(numberOf('satchel_odd_good'), 1)
  assert.ok(!text.includes('satchel_odd_bad'), 'a line that cannot be written is left out')
  assert.match(text, /^# TYPE satchel_workspace_journal_flushes counter$/m)
  assert.equal(err.match(/could not be measured/g), null)
})

/** A plugin without types, one of whose measurements is right. */
const ODD_PLUGIN = `import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
const one = { name: 'good', kind: 'gauge', help: 'two\\nlines', value: 1 }
const measurements = async () => [one, { ...one, name: 'bad name' }, { ...one, name: 'bad', value: 'x' }]
const setup = async () => ({ measurements })
export default { name: 'odd', version: '1.0.0', apiVersion: 1, config: z.strictObject({}), setup }
`

test('without the setting there is no /metrics', async (t) => {
  const { serve } = await openProject(t)
  const { address, stop } = await serve()

  const { status } = await fetch(`${address}/metrics`)
  await stop()

  assert.equal(status, 404)
})

test('metrics are in the format of OpenMetrics: families are whole, buckets grow, the end is marked', () => {
  const metrics = createMetrics()
  for (const ms of [1, 20, 20_000, 7e5]) {
    metrics.onCall({
      tool: 'odd "name"\\\n',
      plugin: 'p',
      changes: false,
      door: 'mcp',
      caller: 'local',
      client: undefined,
      ms,
      input: {},
      ended: { kind: 'answered', answer: {} },
    })
  }
  metrics.requested('api', 'GET', 200)

  const text = metrics.text({ streams: 2, loopDelay: { p50: 1, p99: 2, max: 3 } })

  assert.ok(text.endsWith('\n# EOF\n'))
  const lines = text.trimEnd().split('\n')
  const types = lines.flatMap((line) => /^# TYPE (\S+) /.exec(line)?.[1] ?? [])
  assert.equal(new Set(types).size, types.length)
  for (const line of lines.filter((one) => !one.startsWith('#'))) {
    assert.match(line, /^[a-z_]+(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)+\})? [0-9.e+-]+$/)
    assert.ok(
      types.some((name) => line.startsWith(name)),
      line,
    )
  }
  const buckets = lines
    .filter((line) => line.includes('_bucket'))
    .map((line) => Number(line.split(' ').at(-1)))
  assert.deepEqual(
    [...buckets].sort((a, b) => a - b),
    buckets,
  )
  assert.equal(buckets.at(-1), 4)
})
