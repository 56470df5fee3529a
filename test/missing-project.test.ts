import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { plugin as handoff } from '../plugins/handoff/index.ts'
import { forEachDoor, openHost, temporaryFolder } from './harness/index.ts'
import { ordinaryUserOf } from './ordinary-user.ts'
import { runSatchel } from './satchel-process.ts'

const BUILT = join(import.meta.dirname, '../dist/satchel.js')

test('a project that is missing or a file is not found, for every tool at every door, and nothing is created', async (t) => {
  const opened = await openHost(t, { plugins: [handoff] })
  const { host, projectRoot } = opened
  writeFileSync(join(projectRoot, 'a-file'), '')
  const tools = host.registry.tools.map(({ tool }) => tool).filter(({ input }) => 'project' in input.shape)
  const before = readdirSync(projectRoot)

  await forEachDoor(t, opened, async (door) => {
    for (const { name, example } of tools.filter((tool) => door.serves(tool.name))) {
      for (const [project, said] of [
        ['missing', /missing does not exist/],
        ['missing/below', /missing\/below does not exist/],
        ['a-file', /a-file is a file/],
      ] as const) {
        const outcome = await door.call(name, { ...example, project })

        assert.ok(!outcome.ok, `${name} at ${door.name} for ${project}`)
        const { code, reason, message } = outcome.error
        assert.deepEqual([code, reason], ['not_found', 'project_not_found'], `${name} at ${door.name}`)
        if (message !== undefined) assert.match(message, said, `${name} at ${door.name}`)
      }
    }
  })

  assert.ok(tools.length > 10, `${tools.length} tools`)
  assert.deepEqual(readdirSync(projectRoot), before)
})

test('--project and its variables name an existing folder, or exit 4', async (t) => {
  const folder = await temporaryFolder(t)
  const missing = join(folder, 'missing')
  const list = ['handoff', 'list']

  const ran = await Promise.all([
    runSatchel(folder, ['--project', missing, ...list]),
    runSatchel(folder, list, { SATCHEL_PROJECT: missing }),
    runSatchel(folder, list, { CLAUDE_PROJECT_DIR: missing }),
    runSatchel(folder, ['modules', 'list', '--project', missing]),
  ])

  for (const { code, out, err } of ran) {
    assert.deepEqual([code, out], [4, ''], err)
    assert.match(err, /missing does not exist/)
  }
  assert.equal(existsSync(missing), false)
})

for (const [words, code] of [
  [['handoff', 'list'], 4],
  [['handoff', 'hook', 'stop'], 0],
] as const) {
  test(`a deleted working directory is said in one sentence: ${words.join(' ')}`, async (t) => {
    const folder = await temporaryFolder(t)
    const deleted = join(folder, 'deleted')
    mkdirSync(deleted)
    const script = 'cd "$0" && rmdir "$0" && exec "$@"'
    const { status, stderr } = spawnSync('sh', ['-c', script, deleted, process.execPath, BUILT, ...words], {
      encoding: 'utf8',
      env: { PATH: String(process.env['PATH']), HOME: folder },
    })
    rmSync(deleted, { force: true, recursive: true })

    assert.equal(status, code, stderr)
    assert.match(stderr, /working directory was deleted/)
    assert.doesNotMatch(stderr, /uv_cwd|at .*\.js/)
  })
}

const TOKEN = 'token-of-the-test'

test('a folder that this user may not enter is told in one sentence, as the working directory and over REST', async (t) => {
  const folder = await temporaryFolder(t)
  const closed = ['project', 'store/.handoffs', 'modules/output'].map((path) => join(folder, path))
  for (const path of closed) mkdirSync(path, { recursive: true })
  const { program, options, env } = await ordinaryUserOf(t, folder)
  const started = { ...options, env: { ...env, PATH: String(process.env['PATH']), HOME: folder } }

  const script = 'cd "$0" && chmod 0 . && exec "$@"'
  const words = [script, join(folder, 'project'), ...program, 'handoff', 'list']
  const { status, stderr } = spawnSync('sh', ['-c', ...words], { ...started, encoding: 'utf8' })

  assert.equal(status, 4, stderr)
  assert.match(stderr, /The project \S+ cannot be opened by this user \(EACCES\)/)
  assert.doesNotMatch(stderr, /at .*\.js/)

  for (const path of closed) chmodSync(path, 0)
  const [node, ...first] = program
  const server = spawn(node, [...first, 'serve', '--host', '127.0.0.1', '--port', '0', '--json'], {
    ...started,
    cwd: folder,
    env: { ...started.env, SATCHEL_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(() => server.kill('SIGKILL'))
  const [line] = await once(server.stdout, 'data')
  const { address } = JSON.parse(String(line)).listeners[0]
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const more = body && { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${address}${path}`, { headers, ...more })
    return [answer.status, ((await answer.json()) as { reason?: string }).reason]
  }

  assert.deepEqual(await ask('/handoffs?project=project'), [404, 'project_not_found'])
  assert.deepEqual(await ask('/handoffs?project=store'), [503, 'store_unwritable'])
  assert.deepEqual(await ask('/handoffs', { ...RECORD, project: 'store' }), [503, 'store_unwritable'])
  assert.deepEqual(await ask('/search', { query: 'a', output_dir: 'modules/output' }), [
    503,
    'storage_failed',
  ])
})

const RECORD = { title: 'a', objective: 'b', current_state: 'c' }
