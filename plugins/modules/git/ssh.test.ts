import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openIngests } from '../../../plugins/modules/testing/ingest-entries.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { SATCHEL } from '../../../test/satchel-process.ts'
import { findSshd, HOST_ALIAS, openSshServer, type SshServer } from '../../../test/ssh-server.ts'
import { lendsTerminals, openOnTerminal } from '../../../test/terminal.ts'
import type { IngestReport } from '../ingest/report.ts'
import { buildRemote } from '../testing/build-remote.ts'

interface Stage {
  readonly dir: string
  readonly server: SshServer
  run(...urls: string[]): Promise<IngestReport>
}

/** A repository `team/net.git` behind a real sshd; undefined where there is none. */
async function openStage(t: TestContext): Promise<Stage | undefined> {
  const sshd = findSshd(t)
  if (sshd === undefined) return undefined
  const dir = await temporaryFolder(t)
  await buildRemote(join(dir, 'team/net.git'), [
    { files: { 'main.tf': 'variable "a" {}\n' }, tags: ['v1.0.0'] },
    { files: { 'main.tf': 'variable "a" {}\nvariable "b" {}\n' }, annotatedTags: ['v1.1.0'] },
  ])
  const server = await openSshServer(t, sshd, dir)
  const ingests = await openIngests(t, dir)
  return {
    dir,
    server,
    run: (...urls) =>
      ingests(
        urls.map((url, at) => ({ url, name: `net${at}`, max_tags: 0 })),
        { env: { PATH: server.path, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' } },
      ),
  }
}

test('a repository behind a real sshd is read by ssh:// and by user@host:path, and nothing of it the second time', async (t) => {
  const stage = await openStage(t)
  if (stage === undefined) return
  const { user, port } = stage.server
  const urls = [
    `ssh://${user}@127.0.0.1:${port}${stage.dir}/team/net.git`,
    `${user}@${HOST_ALIAS}:team/net.git`,
  ]

  const first = await stage.run(...urls)
  const again = await stage.run(...urls)

  assert.deepEqual(first.failures, [])
  assert.equal(first.written, 4)
  assert.deepEqual(again.refs, { processed: 0, unchanged: 4, empty: 0, failed: 0 })
  const summary = JSON.parse(await readFile(join(stage.dir, 'out', 'net1_v1.1.0.json'), 'utf8'))
  assert.deepEqual(
    summary.variables.map(({ name }: { name: string }) => name),
    ['a', 'b'],
  )
  assert.match(stage.server.log(), /Accepted publickey/)
})

test('a host whose key is unknown, or another than before, is refused with what to do, and nothing is learned of it', async (t) => {
  const stage = await openStage(t)
  if (stage === undefined) return
  const { server } = stage
  const url = `${server.user}@${HOST_ALIAS}:team/net.git`
  const foreign = (await readFile(join(stage.dir, 'ssh/foreign_key.pub'), 'utf8')).split(' ')[1]
  const another = server.hostLine.replace(/\S+$/m, foreign ?? '')

  for (const known of ['', another]) {
    await writeFile(server.knownHosts, known)

    const { failures } = await stage.run(url)

    assert.deepEqual(
      failures.map(({ code, reason }) => `${code} ${reason}`),
      ['forbidden auth_failed'],
    )
    assert.match(failures[0]?.message ?? '', /known_hosts/)
    assert.equal(await readFile(server.knownHosts, 'utf8'), known)
  }
  assert.doesNotMatch(server.log(), /Accepted/)
})

test('a server that would ask for a password is no reason to wait: an ingest on a terminal says that the key was refused', async (t) => {
  const stage = await openStage(t)
  if (stage === undefined) return
  if (!lendsTerminals()) {
    t.skip('NOT RUN: this system has no terminal (script of util-linux)')
    return
  }
  const { server, dir } = stage
  await writeFile(join(dir, 'ssh/authorized_keys'), await readFile(join(dir, 'ssh/foreign_key.pub')))
  const url = `${server.user}@${HOST_ALIAS}:team/net.git`
  await writeFile(join(dir, 'satchel.yaml'), `repositories:\n  - url: ${url}\n`)
  const at = { cwd: dir, env: { PATH: server.path, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' } }

  const asked = openOnTerminal(t, ['ssh', `${server.user}@${HOST_ALIAS}`, 'true'], at)
  await asked.shows(/password:/) // by itself ssh asks, and waits
  const ingested = openOnTerminal(t, [...SATCHEL, 'ingest', '--json'], at)
  const code = await ingested.ended

  assert.equal(code, 3, ingested.shown())
  assert.match(ingested.shown(), /"reason": "auth_failed"/)
  assert.doesNotMatch(ingested.shown(), /password:/)
})
