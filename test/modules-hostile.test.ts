import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { repositoryKey } from '../plugins/modules/domain/module-source.ts'
import { plugin } from '../plugins/modules/index.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { modern } from '../server/mcp/testing/messages.ts'
import { filesBelow } from './harness/files-below.ts'
import { openDoors, openHost, type TestHost, temporaryFolder } from './harness/index.ts'
import {
  HOSTILE_NAMES,
  HOSTILE_PATHS,
  HOSTILE_REFS,
  hostileUrls,
  INTERNAL_URLS,
} from './hostile/module-values.ts'
import { KEPT_CODE, SATCHEL } from './satchel-process.ts'

interface FakeGit {
  readonly env: Readonly<Record<string, string>>
  /** Argument lists of every git that ran so far, and the environment of each. */
  calls(): Promise<{ argv: string[]; env: Record<string, string> }[]>
}

/** A `git` first on the PATH that writes down how it was called and then is the real one. */
async function fakeGit(t: TestContext): Promise<FakeGit> {
  const dir = await temporaryFolder(t)
  const log = join(dir, 'log')
  await mkdir(log)
  const script = [
    '#!/bin/sh',
    `printf '%s\\0' "$@" > "${log}/$$.argv"`,
    `/usr/bin/env -0 > "${log}/$$.env"`,
    'PATH=$REAL_PATH',
    'exec git "$@"',
  ]
  await writeFile(join(dir, 'git'), `${script.join('\n')}\n`)
  await chmod(join(dir, 'git'), 0o755)
  const parts = async (name: string): Promise<string[]> =>
    (await readFile(join(log, name), 'utf8')).split('\0').slice(0, -1)
  return {
    env: {
      PATH: `${dir}:${process.env['PATH']}`,
      HOME: dir,
      GIT_CONFIG_NOSYSTEM: '1',
      MARK_CANARY: 'kept',
      REAL_PATH: String(process.env['PATH']),
    },
    async calls() {
      const names = (await readdir(log)).filter((name) => name.endsWith('.argv'))
      return Promise.all(
        names.map(async (name) => {
          const pairs = (await parts(name.replace(/argv$/, 'env'))).map((line) =>
            line.split(/=(.*)/s).slice(0, 2),
          )
          return { argv: await parts(name), env: Object.fromEntries(pairs) }
        }),
      )
    },
  }
}

interface Stage {
  readonly opened: TestHost
  readonly git: FakeGit
  readonly root: string
  readonly canary: string
  /** Every text below the project, and everything logged: where nothing secret may be. */
  texts(): string
}

async function openStage(t: TestContext, settings: Record<string, unknown> = {}): Promise<Stage> {
  const git = await fakeGit(t)
  const root = await temporaryFolder(t)
  const canary = join(root, 'canary-file')
  const opened = await openHost(t, { plugins: [{ plugin, settings }], projectRoot: root, env: git.env })
  return {
    opened,
    git,
    root,
    canary,
    texts: () => [...filesBelow(root).values(), ...opened.logged].join('\n'),
  }
}

type Failures = { reason: string; code: string; repository: string; message: string }[]

/** Runs these entries through every way in that takes entries; gives the failures of each. */
async function throughEveryDoor(
  t: TestContext,
  stage: Stage,
  entries: readonly object[],
): Promise<[string, Failures][]> {
  const { opened, root } = stage
  await writeFile(join(root, 'hostile.yaml'), JSON.stringify({ repositories: entries }))
  const listed = { repositories: entries }
  const written = { config_file: 'hostile.yaml' }
  const ways: [string, Record<string, unknown>][] = [
    ['ingest', listed],
    ['ingest', written],
    ['ingest_modules', listed],
    ['ingest_modules', written],
    ['ingest_repositories', listed],
    ['ingest_from_yaml', { yaml: JSON.stringify(listed) }],
  ]
  const results: [string, Failures][] = []
  for (const door of await openDoors(t, opened)) {
    for (const [tool, input] of ways.filter(([name]) => door.serves(name))) {
      const where = `${door.name} ${tool} ${Object.keys(input)}`
      const outcome = await door.call(tool, input)
      assert.ok(outcome.ok, `${where}: ${JSON.stringify(outcome)}`)
      results.push([where, outcome.data['failures'] as Failures])
    }
  }
  const doors = results.map(([where]) => where)
  for (const where of [
    'cli ingest config_file',
    'rest ingest_from_yaml yaml',
    'stdio ingest_modules config_file',
  ]) {
    assert.ok(doors.includes(where), `${where} among ${doors.join()}`)
  }
  return results
}

async function assertUntouched(stage: Stage): Promise<void> {
  assert.deepEqual(
    (await stage.git.calls()).map(({ argv }) => argv),
    [],
  )
  assert.ok(!(await readdir(stage.root)).includes('canary-file'))
}

test('a hostile URL is refused at every door before git is started', async (t) => {
  const stage = await openStage(t)
  const urls = hostileUrls(stage.canary)
  assert.ok(urls.length >= 60, String(urls.length))

  for (const [where, failures] of await throughEveryDoor(
    t,
    stage,
    urls.map((url) => ({ url })),
  )) {
    assert.deepEqual(
      failures.filter(({ reason }) => reason !== 'url_refused'),
      [],
      where,
    )
    assert.equal(failures.length, urls.length, where)
    assert.doesNotMatch(JSON.stringify(failures), /CANARY-SECRET|[\u001b\u202e\u200b]/, where)
  }
  for (const door of await openDoors(t, stage.opened)) {
    if (!door.serves('analyze_repository')) continue
    for (const url of urls) {
      const outcome = await door.call('analyze_repository', { repository_url: url })
      assert.ok(!outcome.ok && outcome.error.reason === 'url_refused', `${door.name} ${JSON.stringify(url)}`)
    }
  }
  await assertUntouched(stage)
})

test('hostile refs, paths, names and globs are refused at every door before git is started', async (t) => {
  const stage = await openStage(t)
  const url = 'https://git.example.invalid/team/module.git'
  const entries: [string, object][] = [
    ...HOSTILE_REFS.map((ref): [string, object] => ['ref_refused', { url, branches: [ref] }]),
    ...HOSTILE_PATHS.map((path): [string, object] => ['path_refused', { url, path }]),
    ...HOSTILE_NAMES.map((name): [string, object] => ['name_refused', { url, name }]),
    ...['/x', '../x', '', 'a\\b'].map((glob): [string, object] => [
      'path_refused',
      { url, exclude_paths: [glob] },
    ]),
  ]

  for (const [where, failures] of await throughEveryDoor(
    t,
    stage,
    entries.map(([, entry]) => entry),
  )) {
    assert.deepEqual(
      failures.map(({ reason }) => reason).sort(),
      entries.map(([reason]) => reason).sort(),
      where,
    )
  }
  await assertUntouched(stage)
})

test('a caller of REST or MCP reaches no internal host and no path outside the roots', async (t) => {
  const stage = await openStage(t)
  const outside = await buildRemote(join(await temporaryFolder(t), 'outside.git'), [
    { files: { 'main.tf': 'variable "CANARY_outside" {}\n' } },
  ])
  const entries = [...INTERNAL_URLS, outside, 'file:///etc', '/etc', '../..'].map((url) => ({ url }))

  for (const door of await openDoors(t, stage.opened)) {
    for (const tool of ['ingest_modules', 'ingest_repositories']) {
      if (door.name === 'cli' || !door.serves(tool)) continue
      const outcome = await door.call(tool, { repositories: entries })
      assert.ok(outcome.ok, JSON.stringify(outcome))
      const failures = outcome.data['failures'] as Failures
      const reasons = new Set(failures.map(({ reason, code }) => `${code} ${reason}`))
      assert.deepEqual([...reasons].sort(), ['forbidden host_refused', 'forbidden path_refused'], door.name)
      assert.equal(failures.length, new Set(entries.map(({ url }) => repositoryKey(url))).size)
    }
    if (door.name === 'cli' || !door.serves('ingest_modules')) continue
    for (const directory of ['/etc', '../../x', '/']) {
      const outcome = await door.call('ingest_modules', {
        repositories: [{ url: './x' }],
        output_dir: directory,
      })
      assert.ok(!outcome.ok && outcome.error.reason === 'path_refused', door.name)
    }
  }
  await assertUntouched(stage)
  assert.doesNotMatch(stage.texts(), /CANARY_outside/)
})

test('an agent on stdio reads and writes inside http.roots only, for any folder it names', async (t) => {
  const elsewhere = await temporaryFolder(t)
  const outside = join(elsewhere, 'outside.git')
  await buildRemote(outside, [{ files: { 'main.tf': '' } }])
  const root = await temporaryFolder(t)
  await symlink(elsewhere, join(root, 'way-out'))
  const asked = [
    { repositories: [outside, `file://${outside}`, './way-out/outside.git', '/etc'].map((url) => ({ url })) },
    { repositories: [{ url: './x' }], output_dir: '/tmp/satchel-canary' },
    { repositories: [{ url: './x' }], output_dir: './way-out/written' },
    { config_file: '/etc/hostname' },
  ]
  const reasonsOf = (answer: Answer): string[] =>
    answer.error ? [answer.error.reason] : (answer.failures ?? []).map(({ reason }) => reason)

  const confined = await askOverStdio(t, root, asked)
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ http: { roots: ['.', elsewhere] } }))
  const allowed = await askOverStdio(t, root, asked.slice(0, 1))

  assert.deepEqual(confined.map(reasonsOf), [
    Array(3).fill('path_refused'), // two of the four are one repository
    ['path_refused'],
    ['path_refused'],
    ['path_refused'],
  ])
  assert.deepEqual(allowed.map(reasonsOf), [['path_refused']])
  assert.deepEqual(await readdir(elsewhere), ['outside.git'])
})

interface Answer {
  readonly error?: { readonly reason: string }
  readonly failures?: Failures
}

/** The answers of a real `satchel mcp` in this folder to calls of `ingest_modules`. */
async function askOverStdio(t: TestContext, root: string, inputs: readonly object[]): Promise<Answer[]> {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, 'mcp'], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root, SATCHEL_PROJECT: root, ...KEPT_CODE },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  t.after(() => child.kill('SIGKILL'))
  const answers: Answer[] = []
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  for (const [id, input] of inputs.entries()) {
    const call = modern(id, 'tools/call', { name: 'ingest_modules', arguments: input })
    child.stdin.write(`${JSON.stringify(call)}\n`)
    const { value } = await lines.next()
    answers.push(JSON.parse(value).result.structuredContent)
  }
  child.stdin.end()
  await once(child, 'close')
  return answers
}

test('a configuration that is a folder, a pipe or too large is refused at every door without waiting', async (t) => {
  const stage = await openStage(t)
  await mkdir(join(stage.root, 'folder.yaml'))
  execFileSync('mkfifo', [join(stage.root, 'pipe.yaml')])
  await writeFile(join(stage.root, 'large.yaml'), `#${' '.repeat(1024 * 1024)}\n`)
  await mkdir(join(stage.root, 'beside'))
  await writeFile(join(stage.root, 'beside', 'own.yaml'), 'embedding: { enabled: true }\n')
  execFileSync('mkfifo', [join(stage.root, 'beside', 'satchel.lexicon.json')])
  const refused: [string, string][] = [
    ['folder.yaml', 'file_not_found'],
    ['pipe.yaml', 'file_not_found'],
    ['large.yaml', 'config_invalid'],
  ]

  for (const door of await openDoors(t, stage.opened)) {
    const search = (config_file: string) => door.call('search_modules_vector', { query: 'x', config_file })
    for (const [config_file, reason] of refused) {
      const outcomes = [await search(config_file)]
      for (const tool of ['ingest', 'ingest_modules'].filter((name) => door.serves(name))) {
        outcomes.push(await door.call(tool, { config_file }))
      }
      for (const outcome of outcomes) {
        assert.ok(!outcome.ok && outcome.error.reason === reason, `${door.name} ${JSON.stringify(outcome)}`)
      }
    }
    const beside = await search('beside/own.yaml')
    assert.ok(!beside.ok && beside.error.reason === 'lexicon_invalid', JSON.stringify(beside))
  }
})

test('the repositories the operator names are open to callers, also when they are local', async (t) => {
  const remote = join(await temporaryFolder(t), 'own.git')
  const url = await buildRemote(remote, [{ files: { 'main.tf': 'variable "a" {}\n' } }])
  const stage = await openStage(t, { repositories: [{ url }] })

  const report = await stage.opened.call('ingest_modules', { repositories: [{ url, name: 'own' }] })

  assert.deepEqual(report['failures'], [])
  assert.equal(report['written'], 1)
})

test('odd names of tags and branches of a remote are plain data, and git is only ever called safely', async (t) => {
  const stage = await openStage(t)
  const url = await buildRemote(join(stage.root, 'odd.git'), [
    {
      files: { 'main.tf': 'variable "a" {}\n', '-rf': 'x', 'a\tb.tf': 'variable "b" {}\n' },
      tags: ["a'b", 'release;touch$IFS', '-dash', 'v1.0.0', '`x`', '$(x)', 'ünï', '"quoted"'],
    },
  ])

  const report = await stage.opened.call('ingest_modules', {
    repositories: [{ url: './odd.git', max_tags: 0 }],
  })

  assert.deepEqual(report['failures'], [])
  assert.equal(report['written'], 8)
  const names = (await readdir(join(stage.root, 'output'))).filter((name) => name.endsWith('.json'))
  assert.ok(names.every((name) => /^odd_[A-Za-z0-9._+-]+\.json$/.test(name)))
  const calls = await stage.git.calls()
  const talks = calls.filter(({ argv }) => argv.includes('fetch') || argv.includes('ls-remote'))
  const lists = calls.filter(({ argv }) => argv.includes('upload-pack'))
  assert.ok(talks.length >= 1 && lists.length >= 1)
  for (const { argv, env } of talks) {
    assert.ok(argv.indexOf('--') > 0 && argv.indexOf('--') < argv.indexOf(url), argv.join(' '))
    assert.equal(env['GIT_ALLOW_PROTOCOL'], 'file')
  }
  for (const { argv, env } of lists) {
    assert.deepEqual(argv.slice(-2), ['--', join(stage.root, 'odd.git')])
    assert.equal(env['GIT_ALLOW_PROTOCOL'], '')
  }
  for (const { argv, env } of calls) {
    for (const pair of [
      'core.hooksPath=/dev/null',
      'core.fsmonitor=false',
      'core.symlinks=false',
      'gc.auto=0',
      'maintenance.auto=false',
      'fetch.recurseSubmodules=false',
      'protocol.version=2',
      'http.lowSpeedLimit=1000',
      'http.lowSpeedTime=30',
    ]) {
      assert.ok(argv.includes(pair), `${pair} in ${argv.join(' ')}`)
    }
    assert.equal(env['GIT_TERMINAL_PROMPT'], '0')
    assert.equal(env['LC_ALL'], 'C')
    assert.equal(env['MARK_CANARY'], 'kept')
    assert.ok(env['GIT_DIR'] !== undefined && env['GIT_CEILING_DIRECTORIES'] !== undefined)
  }
  const refspecs = talks.flatMap(({ argv }) => argv.filter((arg) => arg.startsWith('+')))
  assert.ok(refspecs.every((spec) => /^\+refs\/tags\/.*:refs\/satchel\/t-[0-9a-f]{16}$/s.test(spec)))
})

test('a secret in a URL is in no argument, file, summary, log, report or error', async (t) => {
  const stage = await openStage(t)
  const secret = 'CANARY-token-0123456789'
  const entries = [
    { url: `https://user:${secret}@localhost:1/team/module.git` },
    { url: `ssh://git:${secret}@localhost:1/team/third.git` },
    { url: `https://localhost:1/team/module.git?private_token=${secret}` },
    { url: `https://user@localhost:1/team/module.git#${secret}` },
  ]
  await writeFile(join(stage.root, 'secrets.yaml'), JSON.stringify({ repositories: entries }))
  const cli = (await openDoors(t, stage.opened)).find(({ name }) => name === 'cli')

  const outcome = await cli?.call('ingest', { config_file: 'secrets.yaml' })

  assert.ok(outcome?.ok)
  const failures = outcome.data['failures'] as Failures
  assert.equal(failures.length, entries.length)
  const calls = await stage.git.calls()
  assert.ok(calls.length > 0)
  const config = await readFile(join(stage.root, 'secrets.yaml'), 'latin1')
  const seen = stage.texts().replaceAll(config, '')
  const basic = Buffer.from(`user:${secret}`).toString('base64')
  for (const text of [JSON.stringify(outcome.data), seen, JSON.stringify(calls.map(({ argv }) => argv))]) {
    assert.ok(!text.includes(secret) && !text.includes(basic))
  }
})
