import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openIngests } from '../../../plugins/modules/testing/ingest-entries.ts'
import { onlyWith, openGitHttps } from '../../../test/fixtures/git-https-server.ts'
import { gitAfter } from '../../../test/fixtures/shadow-git.ts'
import { endedProcess } from '../../../test/harness/ended-process.ts'
import { filesBelow } from '../../../test/harness/files-below.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { listening } from '../../../test/harness/listening.ts'
import { processesLeft, processesMarked, TEST_MARK } from '../../../test/marked-processes.ts'
import { SATCHEL } from '../../../test/satchel-process.ts'
import type { IngestReport } from '../ingest/report.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { admit, type Trust } from './admission.ts'
import { openRepository } from './repository.ts'
import { parseRemoteUrl } from './url.ts'

interface World {
  readonly dir: string
  readonly env: Record<string, string>
  run(
    url: string,
    how?: { env?: Record<string, string>; trust?: Trust; signal?: AbortSignal; prune?: boolean },
  ): Promise<IngestReport>
  /** Every text below the output and the clones. */
  texts(): string
}

/** A folder with the bare repository `team/net.git`, and ingests that end in it. */
async function openWorld(t: TestContext): Promise<World> {
  const dir = await temporaryFolder(t)
  await buildRemote(join(dir, 'team', 'net.git'), [
    { files: { 'main.tf': 'variable "a" {}\n' }, tags: ['v1.0.0'] },
  ])
  const ingests = await openIngests(t, dir)
  const base = {
    PATH: String(process.env['PATH']),
    HOME: dir,
    GIT_CONFIG_NOSYSTEM: '1',
    [TEST_MARK]: dir,
  }
  return {
    dir,
    env: base,
    run: (url, { env = {}, ...how } = {}) => ingests([{ url }], { ...how, env: { ...base, ...env } }),
    texts: () => ['out', 'clones'].flatMap((name) => [...filesBelow(join(dir, name)).values()]).join('\n'),
  }
}

const TOKEN = 'CANARY0123456789abcdef'
const MIB = 1024 * 1024

test('a token of a URL opens a private repository over TLS, and is kept nowhere', async (t) => {
  const world = await openWorld(t)
  const server = await openGitHttps(t, world.dir, onlyWith(`x-access-token:${TOKEN}`))

  const report = await world.run(`https://x-access-token:${TOKEN}@localhost:${server.port}/team/net.git`, {
    env: { GIT_SSL_CAINFO: server.certFile },
  })

  assert.deepEqual(report.failures, [])
  assert.equal(report.written, 1)
  assert.ok(server.requests.length >= 2)
  const seen = `${JSON.stringify(report)}\n${world.texts()}`
  assert.doesNotMatch(
    seen,
    new RegExp(`${TOKEN}|${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`),
  )
})

test('a wrong token, no token and an unknown certificate are each reported as such', async (t) => {
  const world = await openWorld(t)
  const server = await openGitHttps(t, world.dir, onlyWith(`x-access-token:${TOKEN}`))
  const env = { GIT_SSL_CAINFO: server.certFile }
  const at = `localhost:${server.port}/team/net.git`

  const wrong = await world.run(`https://x-access-token:${TOKEN}x@${at}`, { env })
  const none = await world.run(`https://${at}`, { env })
  const foreign = await world.run(`https://${at}`)

  assert.deepEqual(
    [wrong, none, foreign].map(({ failures }) => failures.map(({ code, reason }) => `${code} ${reason}`)),
    [['forbidden auth_failed'], ['forbidden auth_failed'], ['unavailable network']],
  )
  assert.match(foreign.failures[0]?.message ?? '', /certificate is not trusted/)
  assert.doesNotMatch(JSON.stringify(wrong), new RegExp(TOKEN))
})

test('satchel ingest: what cannot be read is listed with its reason and exit code 3, the rest is done, and no token is anywhere', async (t) => {
  const world = await openWorld(t)
  const credential = `x-access-token:${TOKEN}`
  const server = await openGitHttps(t, world.dir, onlyWith(credential))
  await buildRemote(join(world.dir, 'empty.git'), [])
  const project = await temporaryFolder(t)
  const at = `localhost:${server.port}/team/net.git`
  const repositories = [
    { url: `https://${credential}@${at}` },
    { url: `https://x-access-token:${TOKEN}wrong@${at.replace('net', 'other')}`, name: 'wrong' },
    { url: `https://user:${TOKEN}@exa mple.com/x` },
    { url: join(world.dir, 'team/net.git'), branches: ['mian'], name: 'typo' },
    { url: `https://user:${TOKEN}@127.0.0.1:1/x`, name: 'unreachable' },
    { url: join(world.dir, 'empty.git') },
  ]
  const config = JSON.stringify({ repositories, embedding: { enabled: true } })
  await writeFile(join(project, 'satchel.yaml'), config)

  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, 'ingest', '--json'], {
    cwd: project,
    env: { ...world.env, GIT_SSL_CAINFO: server.certFile, SERVER_LOG_LEVEL: 'debug' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { code, out, err } = await endedProcess(child)

  const report = JSON.parse(out) as IngestReport
  assert.equal(code, 3)
  assert.deepEqual(report.failures.map(({ reason }) => reason).sort(), [
    'auth_failed',
    'empty_repository',
    'network',
    'ref_not_found',
    'url_refused',
  ])
  assert.ok(report.written >= 1 && (report.vectors?.upserted ?? 0) >= 1)
  const files = [...filesBelow(project)].filter(([name]) => name !== 'satchel.yaml')
  assert.ok(files.some(([name]) => name.includes('vectordb')))
  const all = [...files.flat(), err, out].join('\n')
  for (const secret of [
    TOKEN,
    Buffer.from(credential).toString('base64'),
    Buffer.from(TOKEN).toString('base64'),
  ]) {
    assert.ok(!all.includes(secret))
  }
})

test('no token follows a redirect, and no caller is led anywhere by one', async (t) => {
  const world = await openWorld(t)
  const target = await openGitHttps(t, world.dir)
  const redirecting = await openGitHttps(t, world.dir, (request, response) => {
    response.writeHead(302, { location: `${target.origin}${request.url}` }).end()
    return true
  })
  const both = join(world.dir, 'both.crt')
  await writeFile(
    both,
    `${await readFile(target.certFile, 'utf8')}${await readFile(redirecting.certFile, 'utf8')}`,
  )
  const env = { GIT_SSL_CAINFO: both }
  const at = `localhost:${redirecting.port}/team/net.git`
  const caller = await pinnedToLoopback(`https://repo.example:${redirecting.port}/team/net.git`)

  const withToken = await world.run(`https://x-access-token:${TOKEN}@${at}`, { env })
  const asCaller = await listing(world, caller, { ...env, GIT_SSL_NO_VERIFY: '1' })
  const foreignRequests = target.requests.length
  const plain = await world.run(`https://${at}`, { env })

  assert.deepEqual(
    withToken.failures.map(({ reason, message }) => [reason, /redirects to another URL/.test(message)]),
    [['git_failed', true]],
  )
  assert.equal(asCaller, 'git_failed')
  assert.equal(foreignRequests, 0)
  assert.deepEqual(plain.failures, [], 'the operator, without a secret, may be redirected')
  assert.ok(target.requests.every(({ authorization }) => authorization === ''))
})

/** What `admit` gives for a caller, with the public address it found replaced by loopback: the pin itself stays. */
async function pinnedToLoopback(url: string) {
  const admission = await admit(parseRemoteUrl(url, '/'), {
    kind: 'caller',
    known: new Set(),
    resolvePath: async (path) => path,
    resolveHost: async () => ['140.82.121.4'],
  })
  return { ...admission, config: admission.config.map((pair) => pair.replace('140.82.121.4', '127.0.0.1')) }
}

/** The default branch of a remote, or what went wrong. */
async function listing(
  world: World,
  admission: Awaited<ReturnType<typeof admit>>,
  env: Record<string, string> = {},
  signal = new AbortController().signal,
): Promise<unknown> {
  const repository = openRepository({
    admission,
    storePath: join(world.dir, 'store.git'),
    workDir: world.dir,
    env: { ...world.env, ...env },
    signal,
    retryDelaysMs: [],
  })
  try {
    return (await repository.list()).defaultBranch
  } catch (thrown) {
    return (thrown as { reason?: unknown }).reason
  } finally {
    await repository.close()
  }
}

test('the address that was checked is the one that is used, even if the name means another by then', async (t) => {
  const world = await openWorld(t)
  const server = await openGitHttps(t, world.dir)

  // No resolver knows this name: only the pin leads anywhere.
  const admission = await pinnedToLoopback(`https://repo.example:${server.port}/team/net.git`)
  const branch = await listing(world, admission, { GIT_SSL_NO_VERIFY: '1' })

  assert.equal(branch, 'main')
  assert.ok(server.requests.every(({ host }) => host === `repo.example:${server.port}`))
})

test('a caller opens no connection to a private address, by any name', async (t) => {
  const world = await openWorld(t)
  let connections = 0
  const listener = createServer((socket) => {
    connections++
    socket.destroy()
  })
  const { port } = await listening(t, listener)
  const trust = (addresses?: string[]): Trust => ({
    kind: 'caller',
    known: new Set(),
    resolvePath: async (path) => path,
    ...(addresses && { resolveHost: async () => addresses }),
  })

  const reports = [
    await world.run(`https://localhost:${port}/x`, { trust: trust() }),
    await world.run(`https://127.0.0.1:${port}/x`, { trust: trust() }),
    await world.run(`https://[::ffff:7f00:1]:${port}/x`, { trust: trust() }),
    await world.run(`https://both.example:${port}/x`, { trust: trust(['140.82.121.4', '127.0.0.1']) }),
    await world.run(`ssh://git@localhost:${port}/x`, { trust: trust() }),
  ]

  assert.deepEqual(
    reports.map(({ failures }) => failures.map(({ reason }) => reason)),
    reports.map(() => ['host_refused']),
  )
  assert.equal(connections, 0)
})

/** Seconds of too little speed after which git ends itself: 2 here, the real 30 with `SATCHEL_PATIENCE=30`. */
const PATIENCE_S = Number(process.env['SATCHEL_PATIENCE'] ?? 2)

test('a server that trickles or says nothing costs a timeout, and no process of git stays', async (t) => {
  const world = await openWorld(t)
  const trickling = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    const timer = setInterval(() => response.write('0'), 200)
    response.on('close', () => clearInterval(timer))
  }).listen(0, '127.0.0.1')
  const silent = createHttpServer(() => undefined).listen(0, '127.0.0.1')
  await Promise.all([once(trickling, 'listening'), once(silent, 'listening')])
  t.after(() => {
    for (const server of [trickling, silent]) {
      server.closeAllConnections()
      server.close()
    }
  })

  const reasons = await Promise.all(
    [trickling, silent].map(async (server) => {
      const { port } = server.address() as { port: number }
      const admission = await admit(parseRemoteUrl(`http://127.0.0.1:${port}/x`, '/'), { kind: 'operator' })
      const sooner = PATIENCE_S === 30 ? [] : [`http.lowSpeedTime=${PATIENCE_S}`]
      return await listing(world, { ...admission, config: [...admission.config, ...sooner] })
    }),
  )

  assert.deepEqual(reasons, ['timeout', 'timeout'])
  assert.deepEqual(await processesLeft(world.dir), [])
})

test('an abort leaves no process of git, also while a server keeps silent about TLS', async (t) => {
  const world = await openWorld(t)
  const silent = createServer(() => undefined)
  const { port } = await listening(t, silent)
  const stop = new AbortController()
  const connected = once(silent, 'connection')

  const run = world.run(`https://127.0.0.1:${port}/x`, { signal: stop.signal })
  const [socket] = await connected
  t.after(() => socket.destroy())
  await once(socket, 'readable') // git has said its first words, which no end of the connection overtakes
  assert.ok((await processesMarked(world.dir)).length >= 2, 'git and its helper are at work')
  stop.abort()

  await assert.rejects(run, { code: 'cancelled' })
  assert.deepEqual(await processesLeft(world.dir), [])
  assert.equal(socket.destroyed, false)
})

/** An `ssh` that writes down its arguments and runs the command here: what the far end would do. */
async function fakeSsh(world: World, name: string): Promise<{ path: string; calls(): Promise<string[][]> }> {
  const path = join(world.dir, name)
  const log = join(world.dir, `${name}.log`)
  await writeFile(
    path,
    [
      '#!/bin/sh',
      `{ printf '%s\\0' "$@"; printf '\\n'; } >> "${log}"`,
      'for word; do last=$word; done',
      `cd "${world.dir}" && exec sh -c "$last"`,
      '',
    ].join('\n'),
  )
  await chmod(path, 0o755)
  return {
    path,
    calls: async () =>
      (await readFile(log, 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split('\0').slice(0, -1)),
  }
}

test('ssh asks nothing, gives up in time, and takes nothing of a URL for an option', async (t) => {
  const world = await openWorld(t)
  const ssh = await fakeSsh(world, 'ssh')
  const env = { PATH: `${world.dir}:${process.env['PATH']}`, GIT_CONFIG_COUNT: '0' }
  await buildRemote(join(world.dir, "team/it's; touch CANARY.git"), [{ files: { 'main.tf': '' } }])

  const reports = [
    await world.run('git@git.example:team/net.git', { env }),
    await world.run(`ssh://git@git.example:2222${world.dir}/team/net.git`, { env }),
  ]
  const odd = await world.run("git@git.example:team/it's;touch$IFS-CANARY.git", { env })

  assert.deepEqual(
    reports.flatMap(({ failures }) => failures),
    [],
  )
  assert.equal(odd.failures[0]?.reason, 'repository_not_found')
  assert.ok(!(await readdir(world.dir)).some((name) => name.includes('CANARY')))
  const calls = await ssh.calls()
  assert.ok(calls.length >= 5)
  for (const argv of calls) {
    for (const option of [
      'BatchMode=yes',
      'ConnectTimeout=15',
      'ServerAliveInterval=15',
      'ServerAliveCountMax=4',
    ]) {
      assert.equal(argv[argv.indexOf(option) - 1], '-o', option)
    }
    assert.equal(argv.at(-2), 'git@git.example')
    assert.match(argv.at(-1) ?? '', /^git-upload-pack '/)
  }
  assert.ok(calls.some((argv) => argv[argv.indexOf('-p') + 1] === '2222'))
})

test('a fetch is ended while the clone grows beyond its limit, and leaves nothing half received', async (t) => {
  const world = await openWorld(t)
  await buildRemote(join(world.dir, 'team', 'large.git'), [
    { files: { 'main.tf': 'variable "a" {}\n', 'image.bin': randomBytes(6 * MIB) } },
  ])
  const held = join(world.dir, 'held')
  // The far end gives 3 MiB and then keeps silent: nothing but the limit ends this fetch.
  const gate = join(import.meta.dirname, '../../../test/fixtures/first-part-then-silence.mjs')
  const given = [3 * MIB, MIB / 2].join(' ')
  const words = `for word; do last=$word; done\ncd "${world.dir}"\nsh -c "$last" | "${process.execPath}" "${gate}" ${given} "${held}"\n`
  await writeFile(join(world.dir, 'ssh'), `#!/bin/sh\n${words}`, { mode: 0o755 })
  const storePath = join(world.dir, 'store.git')
  const repository = openRepository({
    admission: await admit(parseRemoteUrl('git@git.example:team/large.git', '/'), { kind: 'operator' }),
    storePath,
    workDir: world.dir,
    env: { ...world.env, PATH: `${world.dir}:${process.env['PATH']}` },
    signal: new AbortController().signal,
    retryDelaysMs: [1],
    maxStoreBytes: MIB,
  })
  t.after(() => repository.close())
  const { branches } = await repository.list()
  const commit = branches.get('main')?.commit ?? ''

  const fetched = repository.fetch([{ fullName: 'refs/heads/main', commit }], 'sha1')

  await assert.rejects(fetched, { code: 'too_large', reason: 'repository_too_large' })
  assert.ok((await readdir(world.dir)).includes('held'), 'the far end had more to give')
  assert.deepEqual(await readdir(join(storePath, 'objects', 'pack')), [])
  assert.deepEqual(await processesLeft(world.dir), [])
})

test("the operator's own ssh command is used as it is, and then no caller's ssh host", async (t) => {
  const world = await openWorld(t)
  const own = await fakeSsh(world, 'own-ssh')
  const env = { GIT_SSH_COMMAND: `${own.path} -i /keys/team` }
  const trust: Trust = {
    kind: 'caller',
    known: new Set(),
    resolvePath: async (path) => path,
    resolveHost: async () => ['140.82.121.4'],
  }

  const operator = await world.run('git@git.example:team/net.git', { env })
  const before = (await own.calls()).length
  const caller = await world.run('git@other.example:team/net.git', { env, trust })

  assert.deepEqual(operator.failures, [])
  assert.deepEqual((await own.calls())[0]?.slice(0, 2), ['-i', '/keys/team'])
  assert.deepEqual(
    caller.failures.map(({ reason }) => reason),
    ['host_refused'],
  )
  assert.equal((await own.calls()).length, before)
})

test("a caller's ssh host is reached at the address that was checked, under its own key", async (t) => {
  const world = await openWorld(t)
  const ssh = await fakeSsh(world, 'ssh')
  const env = { PATH: `${world.dir}:${process.env['PATH']}` }
  const trust: Trust = {
    kind: 'caller',
    known: new Set(),
    resolvePath: async (path) => path,
    resolveHost: async () => ['140.82.121.4'],
  }

  const report = await world.run('git@git.example:team/net.git', { env, trust })

  assert.deepEqual(report.failures, [])
  for (const argv of await ssh.calls()) {
    assert.ok(
      argv.includes('HostName=140.82.121.4') && argv.includes('HostKeyAlias=git.example'),
      argv.join(' '),
    )
  }
})

test('a git that ends without a word has not said that the remote is empty, and nothing is pruned', async (t) => {
  const world = await openWorld(t)
  const dies = 'case " $* " in *" upload-pack "*|*" ls-remote "*) kill -9 $$;; esac'
  const url = join(world.dir, 'team', 'net.git')
  assert.equal((await world.run(url)).written, 1)

  const report = await world.run(url, {
    env: { PATH: gitAfter(join(world.dir, 'tools'), dies) },
    prune: true,
  })

  assert.deepEqual(
    report.failures.map(({ reason }) => reason),
    ['git_failed'],
  )
  assert.deepEqual(report.pruned, [])
})
