import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import type { Trust } from '../git/admission.ts'
import type { IngestReport } from '../ingest/report.ts'
import { MAIN, openWorld, type World } from '../testing/ingest-world.ts'
import {
  type Answer,
  MODULE,
  openRegistry,
  type RegistryServer,
  tarOf,
  zipOf,
} from '../testing/registry-server.ts'

type TarEntries = Parameters<typeof packTar>[0]

interface Stage {
  readonly world: World
  readonly registry: RegistryServer
  run(more?: Parameters<World['run']>[1]): Promise<IngestReport>
}

/** A registry whose version 1.0.0 has been read, so that there is something to lose. */
async function openStage(t: TestContext): Promise<Stage> {
  const world = await openWorld(t)
  const registry = await openRegistry(t)
  registry.answers.set('/good.tar.gz', await tarOf(world.dir, { 'main.tf': MAIN }))
  registry.offer('1.0.0', '/good.tar.gz')
  const run: Stage['run'] = (more) =>
    world.run([{ url: `${registry.host}/${MODULE}`, max_tags: 0, recursive: true }], more)
  assert.deepEqual((await run()).failures, [])
  return { world, registry, run }
}

const reasons = ({ failures }: IngestReport): string[] =>
  failures.map(({ ref, reason }) => `${ref ?? '-'} ${reason}`)

async function tar(entries: TarEntries): Promise<Buffer> {
  return gzipSync(await packTar(entries))
}

const file = (name: string, body: string | Buffer = MAIN) => ({
  header: { name, size: Buffer.byteLength(body), type: 'file' as const },
  body: Buffer.from(body),
})

test('a registry that does not answer as one costs its own module, and what was read stays', async (t) => {
  const { world, registry, run } = await openStage(t)
  const services = '/.well-known/terraform.json'
  const versions = `/v1/modules/${MODULE}/versions`
  const to =
    (location: string): Answer =>
    (_request, response) =>
      void response.writeHead(302, { location }).end()
  const status =
    (code: number): Answer =>
    (_request, response) =>
      void response.writeHead(code).end()
  const good = new Map(registry.answers)
  const cases: readonly (readonly [string, Answer, string])[] = [
    [services, '<html>welcome</html>', 'registry_answer'],
    [services, '{}', 'repository_not_found'],
    [services, '{"modules.v1": 7}', 'repository_not_found'],
    [services, '{"modules.v1": "http://registry.example.com/v1/"}', 'registry_redirected'],
    [services, status(404), 'repository_not_found'],
    [services, to(services), 'registry_redirected'],
    [services, to('http://registry.example.com/'), 'registry_redirected'],
    [services, to('file:///etc/passwd'), 'registry_redirected'],
    [versions, '<!doctype html>', 'registry_answer'],
    [versions, '{"modules": "none"}', 'registry_answer'],
    [versions, '[', 'registry_answer'],
    [versions, '{"modules": []}', 'repository_not_found'],
    [versions, '{"modules": [{"versions": []}]}', 'repository_not_found'],
    [versions, status(404), 'repository_not_found'],
    [versions, status(418), 'registry_answer'],
    [versions, status(503), 'network'],
    [
      versions,
      (_request, response) => void response.writeHead(200, { 'content-length': 1e9 }).end('x'),
      'package_too_large',
    ],
    [versions, (_request, response) => void response.destroy(), 'network'],
    [versions, () => undefined, 'timeout'],
    [versions, (_request, response) => void response.writeHead(200).write('{"modules": ['), 'timeout'],
  ]
  for (const [path, answer, reason] of cases) {
    for (const [known, value] of good) registry.answers.set(known, value)
    registry.answers.set(path, answer)
    const report = await run({ registryAnswerMs: reason === 'timeout' ? 150 : undefined })
    assert.deepEqual(reasons(report), [`- ${reason}`], `${path} ${reason}`)
  }

  assert.equal((await world.index()).records.length, 1)
})

test('a version that is listed and cannot be had costs only itself', async (t) => {
  const { world, registry, run } = await openStage(t)
  const sha = createHash('sha256').update(randomBytes(8)).digest('hex')
  const archives: Readonly<Record<string, readonly [Buffer | string, string]>> = {
    html: ['<html>log in</html>', 'archive_refused'],
    text: ['no archive', 'archive_refused'],
    bzip2: ['BZh91AY&SY', 'archive_refused'],
    empty: ['', 'archive_refused'],
    cut: [(await tar([file('main.tf', randomBytes(50_000))])).subarray(0, 20_000), 'archive_refused'],
    none: [await tar([{ header: { name: 'empty/', size: 0, type: 'directory' } }]), 'archive_refused'],
    up: [await tar([file('main.tf'), file('../outside.tf')]), 'archive_refused'],
    deep: [await tar([file('a/../../outside.tf')]), 'archive_refused'],
    absolute: [await tar([file('/etc/outside.tf')]), 'archive_refused'],
    backslash: [await tar([file('..\\outside.tf')]), 'archive_refused'],
    zipped: [zipOf({ 'main.tf': MAIN, '../outside.tf': MAIN }), 'archive_refused'],
    bomb: [gzipSync(Buffer.alloc(40 * 1024 ** 2)), 'package_too_large'],
    grown: [await tar([file('big.tf', Buffer.alloc(40 * 1024 ** 2))]), 'package_too_large'],
  }
  const addresses: Readonly<Record<string, readonly [string, string]>> = {
    sum: [`/good.tar.gz?checksum=sha256:${sha}`, 'checksum_mismatch'],
    sum1: [`/good.tar.gz?checksum=${sha}`, 'checksum_mismatch'],
    sum2: ['/good.tar.gz?checksum=file:https://registry.example.com/sums', 'package_address_refused'],
    form: ['/good.tar.gz?archive=tar.xz', 'archive_refused'],
    file: ['file:///etc/passwd', 'package_address_refused'],
    gitfile: ['git::file:///etc', 'package_address_refused'],
    gitpath: ['git::/etc', 'package_address_refused'],
    ext: ['git::ext::sh -c touch% /tmp/x', 'package_address_refused'],
    bucket: ['s3::https://s3.example.com/x', 'package_address_refused'],
    user: ['https://user:secret@registry.example.com/a.tar.gz', 'package_address_refused'],
    plain: ['http://registry.example.com/a.tar.gz', 'registry_redirected'],
    nowhere: ['/nowhere.tar.gz', 'ref_not_found'],
    folder: ['/good.tar.gz//modules/none', 'archive_refused'],
    climb: ['/good.tar.gz//../..', 'path_refused'],
    nothing: [' ', 'package_address_refused'],
    option: ['git::https://-oProxyCommand=x/y', 'url_refused'],
  }
  const wanted = ['1.0.0-absent ref_not_found']
  registry.offer('1.0.0-absent', '/good.tar.gz')
  registry.answers.delete(`/v1/modules/${MODULE}/1.0.0-absent/download`)
  for (const [name, [bytes, reason]] of Object.entries(archives)) {
    registry.answers.set(`/${name}`, typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
    registry.offer(`1.0.0-${name}`, `/${name}`)
    wanted.push(`1.0.0-${name} ${reason}`)
  }
  for (const [name, [address, reason]] of Object.entries(addresses)) {
    registry.offer(`1.0.0-${name}`, address)
    wanted.push(`1.0.0-${name} ${reason}`)
  }

  const report = await run()

  assert.deepEqual(reasons(report).sort(), wanted.sort())
  assert.equal(report.refs.unchanged, 1)
  assert.equal((await world.index()).records.length, 1)
  const clones = (await readdir(world.cloneDir, { recursive: true })).filter((name) =>
    /tmp_|outside/.test(name),
  )
  assert.deepEqual(clones, [])
})

test('links inside an archive are followed, those that leave it are a diagnostic, devices are left out', async (t) => {
  const { world, registry, run } = await openStage(t)
  const link = (name: string, linkname: string, type: 'symlink' | 'link' = 'symlink') => ({
    header: { name, size: 0, type, linkname },
  })
  const bytes = await tar([
    file('real/main.tf'),
    link('linked', 'real'),
    link('real/hard.tf', 'real/main.tf', 'link'),
    link('real/escape.tf', '../../../etc/passwd'),
    link('real/absolute.tf', '/etc/passwd'),
    link('real/lost.tf', 'real/none.tf', 'link'),
    link('loop', '.'),
    { header: { name: 'real/pipe.tf', size: 0, type: 'fifo' } },
    file('.git/config', '[core]'),
  ])
  registry.answers.set('/links.tar.gz', bytes)
  registry.answers.set('/links.zip', zipOf({ 'main.tf': MAIN, 'escape.tf': '->../../etc/passwd' }))
  registry.offer('2.0.0', '/links.tar.gz')
  registry.offer('3.0.0', '/links.zip')

  const report = await run()

  assert.deepEqual(report.failures, [])
  assert.deepEqual(
    report.warnings.map(({ ref, code, message }) => `${ref} ${code} ${message.slice(0, 9)}`),
    [
      '2.0.0 entries_skipped 2 entries',
      '2.0.0 file_not_understood absolute.',
      '3.0.0 file_not_understood escape.tf',
    ],
  )
  const codes = async (name: string): Promise<string[]> => {
    const { diagnostics } = await world.summary(name)
    return (diagnostics as { code: string; file: string }[]).map(({ code, file }) => `${code} ${file}`)
  }
  const { records } = await world.index()
  const summaries = new Map(
    records.map(({ ref, summary_file }) => [`${ref} ${summary_file.split('_')[2] ?? ''}`, summary_file]),
  )
  const real = [...summaries].find(([key]) => key.startsWith('2.0.0 real'))?.[1] ?? ''
  assert.ok([...summaries.keys()].some((key) => key.startsWith('2.0.0 linked')))
  const found = await codes(real)
  assert.ok(
    found.includes('symlink_skipped escape.tf') && found.includes('symlink_skipped absolute.tf'),
    String(found),
  )
  assert.ok((await codes('terraform-aws-net_3.0.0.json')).includes('symlink_skipped escape.tf'))
  assert.ok(!JSON.stringify([await readFile(join(world.outputDir, real), 'utf8')]).includes('root:'))
})

test('an archive of 10 MB with a right checksum is read, and its version counts as it is listed', async (t) => {
  const { world, registry, run } = await openStage(t)
  const bytes = await tar([file('pack-1/picture.png', randomBytes(10_000_000)), file('pack-1/main.tf')])
  const sum = (algorithm: string): string => createHash(algorithm).update(bytes).digest('hex')
  registry.answers.set('/big', bytes)
  registry.offer('2.0.0', `/big//*?archive=tar.gz&checksum=sha512:${sum('sha512')}`)
  registry.offer('2.1.0', `/big//pack-*?checksum=${sum('md5')}`)
  registry.answers.set(
    `/v1/modules/${MODULE}/versions`,
    JSON.stringify({
      modules: [
        {
          versions: [
            '1.0.0',
            { version: 7 },
            { version: '../../x' },
            { version: '2.0.0' },
            { version: '2.0.0' },
            { version: '2.1.0' },
          ],
        },
      ],
    }),
  )

  const report = await run()

  assert.deepEqual(report.failures, [])
  assert.deepEqual(
    report.warnings.map(({ code }) => code),
    ['ref_refused', 'ref_refused', 'ref_refused', 'stale_summaries'], // 1.0.0 is no longer listed as a version
  )
  assert.deepEqual((await world.index()).records.map(({ ref }) => ref).sort(), ['1.0.0', '2.0.0', '2.1.0'])
  const again = await run()
  assert.deepEqual([again.refs.unchanged, again.refs.processed], [2, 0])
})

test('a caller reaches a registry of the configuration, and nothing private that it names', async (t) => {
  const { world, registry } = await openStage(t)
  const other = await openRegistry(t)
  other.answers.set('/a.tar.gz', await tarOf(world.dir, { 'main.tf': MAIN }))
  other.offer('1.0.0', '/a.tar.gz')
  registry.answers.set('/moved.tar.gz', (_request, response) => {
    response.writeHead(302, { location: `${other.origin}/a.tar.gz` }).end()
  })
  registry.offer('2.0.0', `${other.origin}/a.tar.gz`)
  registry.offer('2.1.0', '/moved.tar.gz')
  registry.offer('2.2.0', `git::https://localhost:1/team/net.git?ref=v1`)
  const resolvePath = async (path: string): Promise<string> => path
  const trust: Trust = { kind: 'caller', known: new Set([registry.host]), resolvePath }

  const known = await world.run([{ url: `${registry.host}/${MODULE}`, max_tags: 0 }], { trust })
  const unknown = await world.run([{ url: `${other.host}/${MODULE}` }], { trust })

  assert.deepEqual(reasons(known), ['2.0.0 host_refused', '2.1.0 host_refused', '2.2.0 host_refused'])
  assert.deepEqual(reasons(unknown), ['- host_refused'])
  assert.deepEqual(other.requests, [])
})

test('a token is in no summary, clone or message', async (t) => {
  const { world, registry, run } = await openStage(t)
  const token = 'CANARY0123456789'
  registry.offer('2.0.0', `/good.tar.gz?signature=${token}`)
  registry.offer('2.1.0', `/none.tar.gz?signature=${token}`)
  registry.offer('2.2.0', `ftp://${token}@registry.example.com/x`)

  const report = await run({ env: { ...process.env, HOME: world.dir, [`TF_TOKEN_${registry.host}`]: token } })

  assert.equal(report.refs.processed, 1)
  assert.equal(report.failures.length, 2)
  assert.ok(registry.requests.some(({ authorization }) => authorization === `Bearer ${token}`))
  const texts = [JSON.stringify(report)]
  for (const name of await readdir(world.dir, { recursive: true })) {
    const path = join(world.dir, name)
    if ((await stat(path)).isFile()) texts.push(await readFile(path, 'latin1'))
  }
  assert.ok(texts.length > 10)
  assert.deepEqual(
    texts.filter((text) => text.includes(token)),
    [],
  )
})
