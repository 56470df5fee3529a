import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openGitHttps } from '../../../test/fixtures/git-https-server.ts'
import { selfSigned } from '../../../test/fixtures/self-signed.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MAIN, openWorld, type World } from '../testing/ingest-world.ts'
import { MODULE, openRegistry, tarOf, zipOf } from '../testing/registry-server.ts'

const MORE = `${MAIN}variable "more" {}\n`

/** `ref path: inputs` of every record. */
async function read(world: World): Promise<string[]> {
  const { records } = await world.index()
  const rows = records.map(async ({ ref, summary_file }) => {
    const { path, variables } = await world.summary(summary_file)
    return `${ref} ${path}: ${(variables as { name: string }[]).map(({ name }) => name)}`
  })
  return (await Promise.all(rows)).sort()
}

test('versions of a registry become refs, with the summaries that git would give', async (t) => {
  const world = await openWorld(t)
  const registry = await openRegistry(t)
  registry.answers.set(
    '/v1/a.tar.gz',
    await tarOf(world.dir, { 'main.tf': MAIN, 'modules/sub/main.tf': MORE }),
  )
  registry.answers.set('/b.zip', zipOf({ 'main.tf': MORE }))
  registry.offer('1.0.0', '/v1/a.tar.gz')
  registry.offer('1.1.0', `${registry.origin}/b.zip?archive=zip`)
  registry.offer('1.2.0', '../../../../../a.tar.gz//modules')
  const listed = String(registry.answers.get(`/v1/modules/${MODULE}/versions`))
  registry.answers.set(`/v1/modules/${MODULE}/versions`, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(listed))
  })

  const report = await world.run([{ url: `${registry.host}/${MODULE}`, max_tags: 0, recursive: true }])

  assert.deepEqual(report.failures, [])
  assert.deepEqual(report.warnings, [])
  assert.deepEqual(await read(world), [
    '1.0.0 .: name',
    '1.0.0 modules/sub: name,more',
    '1.1.0 .: name,more',
    '1.2.0 sub: name,more',
  ])
  const summary = await world.summary('terraform-aws-net_1.0.0.json')
  assert.equal(summary['repository'], `${registry.host}/${MODULE}`)
  assert.equal(summary['ref_kind'], 'tag')
})

test('what is read again is what changed: an unchanged version is not downloaded', async (t) => {
  const world = await openWorld(t)
  const registry = await openRegistry(t)
  let archive = await tarOf(world.dir, { 'main.tf': MAIN })
  let etag = '"one"'
  let bodies = 0
  registry.answers.set('/a.tar.gz', ({ headers }, response) => {
    if (headers['if-none-match'] === etag) return void response.writeHead(304).end()
    bodies += 1
    response.writeHead(200, { etag }).end(archive)
  })
  registry.offer('1.0.0', '/a.tar.gz')
  const entries = [{ url: `${registry.host}/${MODULE}` }]

  await world.run(entries)
  const same = await world.run(entries)
  assert.deepEqual([same.refs.unchanged, same.refs.processed, bodies], [1, 0, 1])

  archive = await tarOf(world.dir, { 'main.tf': MORE })
  etag = '"two"'
  const other = await world.run(entries)
  assert.deepEqual([other.refs.unchanged, other.refs.processed, other.failures], [0, 1, []])

  registry.answers.set('/a.tar.gz', ({ headers }, response) => {
    if (headers['if-none-match'] === undefined) response.writeHead(200, { etag }).end(archive)
    else response.writeHead(400).end()
  })
  const incomparable = await world.run(entries)
  assert.deepEqual([incomparable.refs.failed, incomparable.failures], [0, []])
  assert.deepEqual(await read(world), ['1.0.0 .: name,more'])
})

test('a version that lies in git is fetched by git: by commit, by tag and from a directory', async (t) => {
  const world = await openWorld(t)
  await mkdir(join(world.dir, 'team'))
  await buildRemote(join(world.dir, 'team', 'net.git'), [
    { files: { 'main.tf': MAIN }, tags: ['v1.0.0'] },
    {
      files: { 'main.tf': MORE, 'modules/sub/main.tf': MAIN, 'modules/sub/shared.tf': '' },
      tags: ['v1.1.0'],
    },
  ])
  const git = await openGitHttps(t, world.dir)
  const registry = await openRegistry(t)
  const address = `git::${git.origin}/team/net.git`
  registry.offer('1.0.0', `${address}?ref=v1.0.0`)
  registry.offer('1.1.0', `${address}//modules/sub?ref=v1.1.0`)
  registry.offer('1.2.0', `${address}?ref=nowhere`)
  const entries = [{ url: `${registry.host}/${MODULE}`, max_tags: 0, recursive: true }]
  const env = { ...process.env, GIT_SSL_CAINFO: git.certFile }

  const report = await world.run(entries, { env })

  assert.deepEqual(
    report.failures.map(({ ref, reason }) => `${ref} ${reason}`),
    ['1.2.0 ref_not_found'],
  )
  assert.deepEqual(await read(world), ['1.0.0 .: name', '1.1.0 .: name'])
  const commit = (await world.summary('terraform-aws-net_1.0.0.json'))['commit']
  registry.offer('2.0.0', `${address}?ref=${commit}`)
  const again = await world.run(
    [{ ...entries[0], branches: ['2.0.0', '1.0.0', '1.1.0'], include_tags: false }],
    { env },
  )
  assert.deepEqual([again.failures, again.refs.unchanged, again.refs.processed], [[], 2, 1])
  assert.equal((await world.summary('terraform-aws-net_2.0.0.json'))['commit'], commit)
})

test('a private registry is asked over TLS with the token of its host, and no other host gets it', async (t) => {
  const world = await openWorld(t)
  const tls = selfSigned()
  const certificate = join(world.dir, 'authority.crt')
  await writeFile(certificate, tls.cert)
  const store = await openRegistry(t)
  const registry = await openRegistry(t, { tls, host: 'localhost' })
  store.answers.set('/a.tar.gz', await tarOf(world.dir, { 'main.tf': MAIN }))
  registry.offer('1.0.0', `${store.origin}/a.tar.gz`)
  registry.answers.set('/own.tar.gz', (_request, response) => {
    response.writeHead(302, { location: `${store.origin}/a.tar.gz` }).end()
  })
  registry.offer('1.1.0', '/own.tar.gz')
  const url = `${registry.host}/${MODULE}`
  const env = {
    PATH: process.env['PATH'],
    HOME: world.dir,
    SSL_CERT_FILE: certificate,
    [`TF_TOKEN_${registry.host}`]: 'CANARY0123456789',
  }

  const report = await world.run([{ url, max_tags: 0 }], { env })

  assert.deepEqual(report.failures, [])
  assert.equal(report.refs.processed, 2)
  assert.deepEqual(
    [...new Set(registry.requests.map(({ authorization }) => authorization))],
    ['Bearer CANARY0123456789'],
  )
  assert.deepEqual([...new Set(store.requests.map(({ authorization }) => authorization))], [undefined])
  assert.equal(store.requests.length, 2)
  const untrusted = await world.run([{ url }], { env: { ...env, SSL_CERT_FILE: undefined } })
  assert.deepEqual(
    untrusted.failures.map(({ reason }) => reason),
    ['network'],
  )
  assert.match(untrusted.failures[0]?.message ?? '', /certificate/)
})

test('a registry that refuses the request says which variable would hold its token', async (t) => {
  const world = await openWorld(t)
  const registry = await openRegistry(t)
  registry.offer('1.0.0', '/a.tar.gz')
  registry.answers.set(
    `/v1/modules/${MODULE}/versions`,
    (_request, response) => void response.writeHead(401).end(),
  )

  const { failures } = await world.run([{ url: `${registry.host}/${MODULE}` }])

  assert.deepEqual(
    failures.map(({ code, reason }) => `${code} ${reason}`),
    ['forbidden auth_failed'],
  )
})

test('a version that a registry no longer lists stays until prune, and what a branch names is read', async (t) => {
  const world = await openWorld(t)
  const registry = await openRegistry(t)
  registry.answers.set('/a.tar.gz', await tarOf(world.dir, { 'main.tf': MAIN }))
  registry.offer('1.0.0', '/a.tar.gz')
  registry.offer('1.1.0', '/a.tar.gz')
  const url = `${registry.host}/${MODULE}`
  const only = { url, branches: ['1.0.0', '9.0.0'], include_tags: false }

  const named = await world.run([only])
  await world.run([{ url, max_tags: 0 }])
  const listed = JSON.stringify({ modules: [{ versions: [{ version: '1.1.0' }] }] })
  registry.answers.set(`/v1/modules/${MODULE}/versions`, listed)
  await world.run([{ url, max_tags: 0 }])
  assert.deepEqual(await read(world), ['1.0.0 .: name', '1.1.0 .: name'])
  const pruned = await world.run([{ url, max_tags: 0 }], { prune: true })

  assert.deepEqual(
    named.failures.map(({ ref, reason }) => `${ref} ${reason}`),
    ['9.0.0 ref_not_found'],
  )
  assert.deepEqual(
    pruned.pruned.map(({ ref }) => ref),
    ['1.0.0'],
  )
  assert.deepEqual(await read(world), ['1.1.0 .: name'])
})
