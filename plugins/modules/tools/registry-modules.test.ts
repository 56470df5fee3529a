import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { plugin } from '../index.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MODULE, openRegistry, type RegistryServer, tarOf } from '../testing/registry-server.ts'

const V1 =
  'variable "cidr" {\n  type        = string\n  description = "Address range of the private network"\n}\n'
const V2 = `${V1}variable "zones" {\n  type = number\n}\n`

interface Stage {
  readonly opened: TestHost
  readonly registry: RegistryServer
  readonly address: string
}

/** The module of a registry in two versions, the newest of them ingested, beside the git repository of its name. */
async function openStage(t: TestContext): Promise<Stage> {
  const root = await temporaryFolder(t)
  const registry = await openRegistry(t)
  for (const [version, main] of [
    ['1.0.0', V1],
    ['2.0.0', V2],
  ] as const) {
    registry.answers.set(
      `/${version}.tgz`,
      await tarOf(root, {
        'main.tf': main,
        'modules/sub/main.tf': V1,
        'CHANGELOG.md': '## 2.0.0\n\n- zones\n',
        'examples/simple/main.tf':
          'module "shop" {\n  source = "../../"\n  cidr   = local.cidr\n  zones  = 2\n}\n',
        'modules/sub/examples/one/main.tf': `module "inner" {\n  source  = "${registry.host}/${MODULE}//modules/sub"\n  version = "1.0.0"\n  cidr    = "10.0.0.0/16"\n}\n`,
      }),
    )
    registry.offer(version, `/${version}.tgz`)
  }
  const git = await buildRemote(join(root, 'acme', 'terraform-aws-net.git'), [
    { files: { 'main.tf': 'variable "of_git" {}\n' }, tags: ['v9.0.0'] },
  ])
  const address = `${registry.host}/${MODULE}`
  const repositories = [
    { url: address, recursive: true },
    { url: git, name: 'of-git' },
  ]
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  const report = await opened.call('ingest_modules', {})
  assert.deepEqual(report['failures'], [])
  return { opened, registry, address }
}

test('a module of a registry is called by its address and a version', async (t) => {
  const { opened, address } = await openStage(t)

  const usage = await opened.call('module_usage', { repository: address })
  const inner = await opened.call('module_usage', { id: `${address}//modules/sub` })

  assert.deepEqual([usage['source'], usage['version']], [address, '2.0.0'])
  assert.equal(
    String(usage['hcl']).split('\n\n')[0],
    `module "net" {\n  source  = "${address}"\n  version = "2.0.0"`,
  )
  assert.deepEqual([inner['source'], inner['version']], [`${address}//modules/sub`, '2.0.0'])
})

test('beside the usage of a module of a registry is a call from the examples of its package, with source and version', async (t) => {
  const { opened, address } = await openStage(t)

  const usage = await opened.call('module_usage', { repository: address })
  const inner = await opened.call('module_usage', { id: `${address}//modules/sub` })

  const [example, other] = [usage, inner].map((answer) => answer['example'] as Record<string, unknown>)
  assert.deepEqual(
    [example?.['file'], example?.['refers_to'], other?.['file']],
    ['examples/simple/main.tf', ['local.cidr'], 'modules/sub/examples/one/main.tf'],
  )
  assert.equal(
    example?.['hcl'],
    `module "shop" {\n  source = "${address}"\n  version = "2.0.0"\n  cidr   = local.cidr\n  zones  = 2\n}\n`,
  )
  assert.match(String(other?.['hcl']), /net\/aws\/\/modules\/sub"\n {2}version = "2\.0\.0"\n/)
})

test('a call of a registry is judged by what was read from that registry, and another version is read on demand', async (t) => {
  const { opened, address } = await openStage(t)
  const check = async (version: string) => {
    const hcl = `module "net" {\n  source  = "${address}"\n  version = "${version}"\n  cidr    = "10.0.0.0/16"\n}\n`
    const { blocks } = (await opened.call('module_check', { hcl })) as {
      blocks: { module?: { ref: string }; findings: { code: string }[] }[]
    }
    return blocks.map(({ module, findings }) => [module?.ref, ...findings.map(({ code }) => code)])
  }

  assert.deepEqual(await check('~> 2.0'), [['2.0.0', 'missing_input']])
  assert.deepEqual(await check('1.0.0'), [['1.0.0']])
  assert.deepEqual(await check('3.0.0'), [[undefined, 'unknown_ref']])
})

test('a prerelease of a registry is called by its exact version, and an upgrade pins what a check accepts', async (t) => {
  const { opened, registry, address } = await openStage(t)
  registry.offer('3.0.0-rc1', '/2.0.0.tgz')
  const call = (version: string) =>
    `module "net" {\n  source  = "${address}"\n  version = "${version}"\n  cidr    = "10.0.0.0/16"\n}\n`
  const check = async (hcl: string) => {
    const { blocks } = (await opened.call('module_check', { hcl })) as {
      blocks: { module?: { ref: string }; findings: { code: string }[] }[]
    }
    return blocks.map(({ module, findings }) => [module?.ref, ...findings.map(({ code }) => code)])
  }

  const { calls } = (await opened.call('module_upgrade', { hcl: call('~> 1.0'), to: '3.0.0-rc1' })) as {
    calls: { edited: string }[]
  }

  assert.match(String(calls[0]?.edited), /version = "3\.0\.0-rc1"/)
  assert.deepEqual(
    (await check(String(calls[0]?.edited))).map(([ref]) => ref),
    ['3.0.0-rc1'],
  )
  assert.deepEqual(await check(call('=3.0.0-rc1')), [['3.0.0-rc1', 'missing_input']])
  assert.deepEqual(await check(call('>= 3.0.0-rc1')), [[undefined, 'unknown_ref']])
})

test('searches, versions and upgrades know the module of a registry', async (t) => {
  const { opened, address } = await openStage(t)

  const found = await opened.call('search_modules', { query: 'private network', repository: address })
  const versions = await opened.call('list_module_versions', { repository: MODULE })
  const hcl = `module "net" {\n  source  = "${address}"\n  version = "~> 1.0"\n  cidr    = "10.0.0.0/16"\n}\n`
  const upgrade = await opened.call('module_upgrade', { hcl, to: '2.0.0' })

  assert.deepEqual(
    (found['results'] as { repository: string; ref: string }[]).map(
      ({ repository, ref }) => `${repository} ${ref}`,
    ),
    [`${address} 2.0.0`, `${address} 2.0.0`],
  )
  assert.deepEqual(
    (versions['versions'] as { ref: string }[]).map(({ ref }) => ref),
    ['2.0.0'],
  )
  assert.match(JSON.stringify(upgrade), /version = \\"~> 2\.0\\"/)
})

test('a dry run and an analysis of a registry write nothing', async (t) => {
  const { opened, registry, address } = await openStage(t)
  const before = registry.requests.length

  const planned = await opened.call('ingest_modules', { dry_run: true })
  const analysis = await opened.call('analyze_repository', { repository_url: address, include_tags: true })

  assert.deepEqual([planned['failures'], planned['planned']], [[], []])
  assert.deepEqual(
    (analysis['summaries'] as { ref: string }[]).map(({ ref }) => ref),
    ['2.0.0'],
  )
  assert.ok(registry.requests.length > before)
})
