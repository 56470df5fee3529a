import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import * as z from 'zod'
import { temporaryFolder } from '../test/harness/temporary-folder.ts'
import { loadConfig } from './config.ts'
import { definePlugin } from './plugin.ts'

const jira = definePlugin({
  name: 'jira',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({
    board: z.string().default('main'),
    retries: z.int().min(0).default(3),
    sync: z.boolean().default(false),
  }),
  env: { JIRA_RETRIES: 'retries', JIRA_SYNC: 'sync' },
  setup: async () => ({}),
})

async function folder(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  return cwd
}

test('without a file every value is its default', async (t) => {
  const cwd = await folder(t, {})

  const config = await loadConfig({ cwd, env: {} })

  assert.equal(config.file, undefined)
  assert.deepEqual(config.http, {
    host: '0.0.0.0',
    port: 8000,
    log_level: 'info',
    workers: 1,
    reload: false,
    token: null,
    oauth: null,
    allowed_hosts: [],
    allowed_origins: [],
    trust_proxy: [],
    local_proof: 'auto',
    socket: null,
    rate: null,
    metrics: false,
    drain_s: 0,
    on_stray_error: 'continue',
    roots: ['.'],
  })
  assert.deepEqual(config.tools, {
    profile: 'standard',
    read_only: false,
    include: [],
    exclude: [],
    answer_channel: 'auto',
    answer_tokens: 4000,
    audit_log: null,
    call_limit_s: 3600,
    call_cpu_s: 30,
  })
})

test('a flag wins over the environment, the environment over the file, the file over the default', async (t) => {
  const cwd = await folder(t, {
    'satchel.yaml': 'http:\n  port: 1111\n  host: 10.0.0.1\n  log_level: debug\n',
  })

  const config = await loadConfig({
    cwd,
    env: { SERVER_PORT: '2222', SERVER_HOST: '10.0.0.2' },
    flags: { 'http.port': 3333 },
  })

  assert.equal(config.http.port, 3333)
  assert.equal(config.http.host, '10.0.0.2')
  assert.equal(config.http.log_level, 'debug')
})

test('a door may bring another default, which the file still overrides', async (t) => {
  const silent = await folder(t, {})
  const said = await folder(t, { 'satchel.yaml': 'http: { host: 192.0.2.1 }\n' })
  const defaults = { 'http.host': '127.0.0.1' }

  assert.equal((await loadConfig({ cwd: silent, env: {}, defaults })).http.host, '127.0.0.1')
  assert.equal((await loadConfig({ cwd: said, env: {}, defaults })).http.host, '192.0.2.1')
})

test('an unknown key names its line and the nearest known key', async (t) => {
  const top = await folder(t, { 'satchel.yaml': 'http: {}\nhtpp: {}\n' })
  const nested = await folder(t, { 'satchel.yaml': 'http:\n  port: 1\n  tokn: x\n' })

  await assert.rejects(loadConfig({ cwd: top, env: {} }), {
    code: 'invalid',
    reason: 'unknown_key',
    details: { key: 'htpp', line: 2, nearest: 'http' },
  })
  await assert.rejects(loadConfig({ cwd: nested, env: {} }), {
    reason: 'unknown_key',
    details: { key: 'http.tokn', line: 3, nearest: 'token' },
  })
})

test('a value of the wrong kind names the key and its line, or the environment variable', async (t) => {
  const cwd = await folder(t, { 'satchel.yaml': 'tools:\n  profile: huge\n' })
  const empty = await folder(t, {})

  await assert.rejects(loadConfig({ cwd, env: {} }), {
    reason: 'config_invalid',
    details: { key: 'tools.profile', line: 2 },
  })
  await assert.rejects(loadConfig({ cwd: empty, env: { SERVER_LOG_LEVEL: 'loud' } }), {
    reason: 'config_invalid',
    details: { key: 'http.log_level', environment: 'SERVER_LOG_LEVEL' },
  })
})

test('an entry of a list that is of the wrong kind is named with its line', async (t) => {
  const tasks = definePlugin({
    name: 'tasks',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({ repositories: z.array(z.object({ name: z.string() })).default([]) }),
    setup: async () => ({}),
  })
  const cwd = await folder(t, { 'satchel.yaml': 'repositories:\n  - name: a\n  - b\n' })
  const config = await loadConfig({ cwd, env: {} })

  assert.throws(() => config.section(tasks, { keys: ['repositories'] }), {
    reason: 'config_invalid',
    message: /satchel\.yaml:3: repositories\.1: /,
    details: { key: 'repositories.1', line: 3 },
  })
})

test('bad YAML, an unknown tag, a duplicate key and an alias bomb are refused with their place', async (t) => {
  const bomb = `a: &a [1]\n${Array.from({ length: 8 }, (_, i) => `b${i}: &b${i} [${'*a,'.repeat(20)}]`).join('\n')}\n`
  for (const text of ['http: [\n', 'http: !!js/function x\n', 'http: {}\nhttp: {}\n', '- a\n', bomb]) {
    const cwd = await folder(t, { 'satchel.yaml': text })

    await assert.rejects(loadConfig({ cwd, env: {} }), { code: 'invalid', reason: 'config_syntax' })
  }
})

test('a configuration in another encoding is refused as that', async (t) => {
  const text = 'http: { port: 1 }\n'
  for (const bytes of [Buffer.from(`\uFEFF${text}`, 'utf16le'), Buffer.from('# \xfc\n', 'latin1')]) {
    const cwd = await folder(t, {})
    await writeFile(join(cwd, 'satchel.yaml'), bytes)

    await assert.rejects(loadConfig({ cwd, env: {} }), { code: 'invalid', reason: 'config_not_utf8' })
  }
  const marked = await folder(t, { 'satchel.yaml': `\uFEFF${text}` })
  assert.equal((await loadConfig({ cwd: marked, env: {} })).http.port, 1)
})

test('a file that was named and is missing is not_found, with the command that writes one', async (t) => {
  const cwd = await folder(t, {})

  await assert.rejects(loadConfig({ cwd, env: {}, file: 'mine.yaml' }), {
    code: 'not_found',
    reason: 'config_not_found',
  })
  await assert.rejects(loadConfig({ cwd, env: { SERVICE_CONFIG: 'x.yaml' } }), { reason: 'config_not_found' })
})

test('a named file that is a folder or a pipe is refused immediately, and one at a default path is ignored', async (t) => {
  const cwd = await folder(t, {})
  await mkdir(join(cwd, 'folder.yaml'))
  execFileSync('mkfifo', [join(cwd, 'satchel.yaml')])

  for (const file of ['folder.yaml', 'satchel.yaml', '/dev/zero']) {
    await assert.rejects(loadConfig({ cwd, env: {}, file }), {
      reason: 'config_not_found',
      message: /is a folder, pipe or device/,
    })
  }
  assert.equal((await loadConfig({ cwd, env: {} })).file, undefined)
  assert.equal((await loadConfig({ cwd, env: {}, file: '/dev/null' })).file, '/dev/null')
})

test('a satchel.yaml that cannot be read is refused: the defaults would lift what it limits', async (t) => {
  const cwd = await folder(t, {})
  await symlink('nowhere.yaml', join(cwd, 'satchel.yaml'))
  const large = await folder(t, { 'satchel.yaml': 'x'.repeat(16 * 1024 * 1024 + 1) })

  await assert.rejects(loadConfig({ cwd, env: {} }), {
    reason: 'config_not_found',
    message: /^The configuration file satchel.yaml cannot be read \(ENOENT\)/,
  })
  await assert.rejects(loadConfig({ cwd: large, env: {} }), { message: /is larger than 16 MiB/ })
})

test('a host or an origin that no request can have is refused', async (t) => {
  for (const [key, wrong, right] of [
    ['allowed_hosts', ['https://a.example', '*.example', 'a.example/x'], ['a.example', '[::1]:80', 'A:1']],
    [
      'allowed_origins',
      ['*', 'a.example', 'https://a.example/'],
      ['https://a.example:1', 'x-app://id', 'null'],
    ],
    [
      'trust_proxy',
      ['proxy.example', '10.0.0.0/33', '10.0.0.0/255.0.0.0'],
      ['192.0.2.1', '10.0.0.0/8', '2001:DB8::1', 'fd00::/8'],
    ],
  ] as const) {
    for (const value of wrong) {
      const cwd = await folder(t, { 'satchel.yaml': `http: { ${key}: ["${value}"] }` })
      await assert.rejects(
        loadConfig({ cwd, env: {} }),
        { reason: 'config_invalid', message: /must be a/ },
        value,
      )
    }
    const cwd = await folder(t, { 'satchel.yaml': `http: { ${key}: ${JSON.stringify(right)} }` })
    assert.deepEqual((await loadConfig({ cwd, env: {} })).http[key], right)
  }
})

test('an empty address to listen at is refused, since it would be all of them', async (t) => {
  const cwd = await folder(t, { 'satchel.yaml': 'http:\n  host: ""\n' })

  await assert.rejects(loadConfig({ cwd, env: {} }), {
    reason: 'config_invalid',
    message: /satchel\.yaml:2: http\.host: must not be empty$/,
  })
  await assert.rejects(loadConfig({ cwd, env: {}, flags: { 'http.host': '' } }), {
    message: 'http.host: must not be empty',
  })
})

test("another program's config.yaml is left alone, ours is read", async (t) => {
  const foreign = await folder(t, { 'config.yaml': 'database: { url: x }\n' })
  const ours = await folder(t, { 'config.yaml': 'http: { port: 9 }\n' })

  assert.equal((await loadConfig({ cwd: foreign, env: {} })).file, undefined)
  assert.equal((await loadConfig({ cwd: ours, env: {} })).http.port, 9)
})

test("a third-party plugin's settings are parsed by its own schema", async (t) => {
  const cwd = await folder(t, {
    'satchel.yaml': 'plugins:\n  "@acme/jira": { board: ops }\n  "./mine.js":\n',
  })
  const config = await loadConfig({ cwd, env: {} })

  assert.deepEqual(config.plugins, { '@acme/jira': { board: 'ops' }, './mine.js': {} })
  assert.deepEqual(config.section(jira, { settings: { board: 'ops' }, listedAs: '@acme/jira' }), {
    board: 'ops',
    retries: 3,
    sync: false,
  })
  const listed = (settings: Readonly<Record<string, unknown>>) => () =>
    config.section(jira, { settings, listedAs: '@acme/jira' })
  assert.throws(listed({ retries: -1 }), {
    reason: 'config_invalid',
    details: { key: 'plugins.@acme/jira.retries' },
  })
  assert.throws(listed({ baord: 'ops' }), {
    reason: 'unknown_key',
    details: { key: 'plugins.@acme/jira.baord', nearest: 'board' },
  })
})

test('a setting that is missing is said to be missing, at the line of what lacks it', async (t) => {
  const needy = definePlugin({
    name: 'needy',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({ board: z.string(), limits: z.object({ most: z.int() }).optional() }),
    setup: async () => ({}),
  })
  const cwd = await folder(t, { 'satchel.yaml': 'plugins:\n  ./needy.js: { limits: {} }\n' })
  const config = await loadConfig({ cwd, env: {} })
  const read = (settings: Readonly<Record<string, unknown>>) => () =>
    config.section(needy, { settings, listedAs: './needy.js' })

  const board = /satchel\.yaml:2: plugins\.\.\/needy\.js\.board: is missing; it is of type string$/
  assert.throws(read({ limits: {} }), { reason: 'config_invalid', message: board })
  const most = /satchel\.yaml:2: plugins\.\.\/needy\.js\.limits\.most: is missing; it is of type/
  assert.throws(read({ board: 'x', limits: {} }), { message: most })
})

test("a plugin's environment names fill its section, typed by its schema", async (t) => {
  const cwd = await folder(t, {})
  const config = await loadConfig({ cwd, env: { JIRA_RETRIES: '7', JIRA_SYNC: 'true' } })

  assert.deepEqual(config.section(jira, { key: 'jira' }), { board: 'main', retries: 7, sync: true })
  const bad = await loadConfig({ cwd, env: { JIRA_RETRIES: 'many' } })
  assert.throws(() => bad.section(jira, { key: 'jira' }), {
    reason: 'config_invalid',
    details: { key: 'jira.retries', environment: 'JIRA_RETRIES' },
  })
})

test('environment names fill the settings of a listed plugin: over the file, typed, with their origin', async (t) => {
  const deep = definePlugin({
    name: 'deep',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({
      js: z.string().default('none'),
      sync: z.boolean().default(false),
      limits: z.object({ most: z.int().max(9).default(3) }).prefault({}),
    }),
    env: { DEEP_JS: 'js', DEEP_SYNC: 'sync', DEEP_MOST: 'limits.most' },
    setup: async () => ({}),
  })
  const cwd = await folder(t, { 'satchel.yaml': 'plugins:\n  ./deep.js:\n    js: file\n    sync: false\n' })
  const section = { settings: { js: 'file', sync: false }, listedAs: './deep.js' }

  const config = await loadConfig({ cwd, env: { DEEP_SYNC: 'yes', DEEP_MOST: '7', DEEP_JS: '' } })

  assert.deepEqual(config.section(deep, section), { js: 'file', sync: true, limits: { most: 7 } })
  assert.deepEqual(
    config
      .origins([{ plugin: deep, section }])
      .filter(({ key }) => key.startsWith('plugins.'))
      .map(({ key, value, origin }) => [key, value, origin]),
    [
      ['plugins../deep.js.js', 'file', `${config.file}:3`],
      ['plugins../deep.js.sync', true, 'DEEP_SYNC'],
      ['plugins../deep.js.limits.most', 7, 'DEEP_MOST'],
    ],
  )
  const bad = await loadConfig({ cwd, env: { DEEP_MOST: '10' } })
  assert.throws(() => bad.section(deep, section), {
    reason: 'config_invalid',
    message: /^DEEP_MOST: /,
    details: { key: 'plugins../deep.js.limits.most', environment: 'DEEP_MOST' },
  })
})

test('every value has its origin, and a secret is not shown', async (t) => {
  const cwd = await folder(t, { 'satchel.yaml': 'http:\n  port: 1\n  token: abcdefgh12345678\n' })
  const config = await loadConfig({ cwd, env: { SERVER_HOST: '::1' }, flags: { 'tools.read_only': true } })

  const origins = Object.fromEntries(
    config.origins([]).map(({ key, value, origin }) => [key, [value, origin]]),
  )

  assert.deepEqual(origins['http.port'], [1, `${config.file}:2`])
  assert.deepEqual(origins['http.token'], ['[redacted]', `${config.file}:3`])
  assert.deepEqual(origins['http.host'], ['::1', 'SERVER_HOST'])
  assert.deepEqual(origins['tools.read_only'], [true, 'flag'])
  assert.deepEqual(origins['tools.profile'], ['standard', 'default'])
})

test('a default next to a key of the file is a default, and a value from an alias has the file as its origin', async (t) => {
  const cwd = await folder(t, {
    'satchel.yaml': 'http:\n  port: 1\nhandoff: &own { board: main }\nworkspace: *own\n',
  })
  const config = await loadConfig({ cwd, env: {} })

  const origins = Object.fromEntries(
    config
      .origins(['handoff', 'workspace'].map((key) => ({ plugin: jira, section: { key } })))
      .map(({ key, origin }) => [key, origin]),
  )

  assert.equal(origins['http.port'], `${config.file}:2`)
  assert.equal(origins['http.host'], 'default')
  assert.equal(origins['handoff.board'], `${config.file}:3`)
  assert.equal(origins['handoff.retries'], 'default')
  assert.equal(origins['workspace.board'], `${config.file}:4`)
})

test('neither an invitation nor a credential inside a URL is shown', async (t) => {
  const cwd = await folder(t, {
    'satchel.yaml': [
      'repositories: [https://me:t0k3n@git.example.com/a.git, ssh://git@git.example.com/b.git]',
      'workspace: { invite: satchel://join/s3cr3t }',
    ].join('\n'),
  })
  const links = definePlugin({
    name: 'links',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({ repositories: z.array(z.string()).optional(), invite: z.string().optional() }),
    setup: async () => ({}),
  })
  const config = await loadConfig({ cwd, env: {} })

  const values = Object.fromEntries(
    config
      .origins([
        { plugin: links, section: { keys: ['repositories'] } },
        { plugin: links, section: { key: 'workspace' } },
      ])
      .map(({ key, value }) => [key, value]),
  )

  assert.deepEqual(values['repositories'], [
    'https://[redacted]@git.example.com/a.git',
    'ssh://git@git.example.com/b.git',
  ])
  assert.equal(values['workspace.invite'], 'satchel://join/[redacted]')
})
