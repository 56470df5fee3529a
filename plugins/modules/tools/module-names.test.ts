import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { forEachDoor, openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { canonicalRepository, parseSource } from '../domain/module-source.ts'
import { plugin } from '../index.ts'
import { buildRemote } from '../testing/build-remote.ts'

test('one repository is one, however its address is written', () => {
  const spellings: string[][] = [
    [
      'https://dev.azure.com/acme/Platform%20Team/_git/network',
      'https://acme@dev.azure.com/acme/Platform%20Team/_git/network/',
      'git@ssh.dev.azure.com:v3/acme/Platform%20Team/network',
      'git::ssh://git@ssh.dev.azure.com/v3/acme/Platform%20Team/network',
      'ssh://git@ssh.dev.azure.com:22/v3/acme/platform team/network',
      'https://acme.visualstudio.com/Platform%20Team/_git/network',
      'https://acme.visualstudio.com/DefaultCollection/Platform%20Team/_git/network',
      'acme@vs-ssh.visualstudio.com:v3/acme/Platform%20Team/network',
    ],
    ['https://dev.azure.com/acme/_git/net', 'git@ssh.dev.azure.com:v3/acme/net/net'],
    [
      'https://bitbucket.org/acme/net.git',
      'https://someone@bitbucket.org/acme/net',
      'git@bitbucket.org:acme/net.git',
      'bitbucket.org/acme/net',
    ],
    [
      'https://git.example.com/scm/PLAT/net.git',
      'ssh://git@git.example.com:7999/plat/net.git',
      'git@git.example.com:plat/net',
    ],
    [
      'https://gitlab.example.com/group/sub/deeper/net.git',
      'git@gitlab.example.com:group/sub/deeper/net.git',
      'git::ssh://git@gitlab.example.com/group/sub/deeper/net',
    ],
  ]
  const means = spellings.map((same) => new Set(same.map(canonicalRepository)))

  for (const [at, same] of means.entries()) assert.equal(same.size, 1, spellings[at]?.[0])
  assert.equal(new Set(means.flatMap((same) => [...same])).size, spellings.length)
  assert.deepEqual(parseSource('git::git@ssh.dev.azure.com:v3/acme/p/net//modules/x?ref=v1'), {
    kind: 'git',
    repository: 'dev.azure.com/acme/p/net',
    path: 'modules/x',
    ref: 'v1',
  })
  assert.notEqual(canonicalRepository('https://h:8443/a/net'), canonicalRepository('https://h/a/net'))
})

const code = (name: string): string => `variable "${name}" {}\n`

/** A repository in a group, one whose name a registry address tells, and one that only an alias tells. */
async function project(t: TestContext) {
  const root = await temporaryFolder(t)
  const build = async (place: string, input: string): Promise<string> => {
    const path = join(root, place)
    await mkdir(dirname(path), { recursive: true })
    return await buildRemote(path, [
      { files: { 'main.tf': code(input), 'modules/sub/main.tf': code(`${input}_sub`) }, tags: ['v1.0.0'] },
      { files: { 'main.tf': code(`${input}_new`) }, tags: ['v2.0.0'] },
    ])
  }
  const network = await build('group/team/network.git', 'net')
  const cluster = await build('acme/terraform-aws-cluster', 'cluster')
  const settings = {
    repositories: [network, cluster].map((url) => ({ url, max_tags: 0, recursive: true })),
    registry_aliases: { 'registry.example.com/acme/net/aws': 'team/network' },
  }
  const opened = await openHost(t, {
    plugins: [{ plugin, settings }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  await opened.call('ingest_modules', {})
  return { network, opened, build }
}

async function seen(opened: TestHost, name: object): Promise<string> {
  const answer = await opened.call('get_module', { ...name, fields: ['variables'] })
  const { variables } = answer['module'] as { variables: { name: string }[] }
  return `${answer['ref']} ${variables.map((variable) => variable.name)}`
}

test('in place of an id a name, a path of a group, a URL or a source is accepted', async (t) => {
  const { network, opened } = await project(t)
  const written: [name: string, more: object, shown: string][] = [
    ['network', {}, 'v2.0.0 net_new'],
    ['team/network', {}, 'v2.0.0 net_new'],
    ['group/team/network', { ref: 'v1.0.0' }, 'v1.0.0 net'],
    [network, {}, 'v2.0.0 net_new'],
    [network.replace(/\.git$/, '/'), { path: 'modules/sub' }, 'v2.0.0 net_sub'],
    [`git::${network}//modules/sub?ref=v1.0.0`, {}, 'v1.0.0 net_sub'],
    [`git::${network}?ref=refs/tags/v1.0.0`, {}, 'v1.0.0 net'],
    [`git::${network}?ref=v1.0.0`, { ref: 'v2.0.0' }, 'v2.0.0 net_new'],
    ['acme/cluster/aws', {}, 'v2.0.0 cluster_new'],
    ['registry.terraform.io/acme/cluster/aws//modules/sub', {}, 'v2.0.0 cluster_sub'],
    ['registry.example.com/acme/net/aws', {}, 'v2.0.0 net_new'],
  ]
  for (const [name, more, shown] of written) {
    assert.equal(await seen(opened, { id: name, ...more }), shown, `id ${name}`)
    assert.equal(await seen(opened, { repository: name, ...more }), shown, `repository ${name}`)
  }
  const source = `git::${network}//modules/sub?ref=v1.0.0`
  assert.match(String((await opened.call('module_usage', { id: source }))['hcl']), /net_sub/)
  assert.equal((await opened.call('list_module_versions', { id: source }))['path'], 'modules/sub')
  assert.equal((await opened.call('module_diff', { id: 'network', from: 'v1.0.0' }))['to'], 'v2.0.0')
  for (const repository of ['registry.example.com/acme/net/aws', 'acme/cluster/aws', source]) {
    const { count } = await opened.call('search_modules', { repository })
    assert.equal(count, 2, repository)
  }
  await assert.rejects(seen(opened, { id: 'netwrk' }), { reason: 'module_not_found', message: /network/ })
})

test('a call by a registry address is of the repository that its alias names', async (t) => {
  const { opened } = await project(t)
  const judged = async (source: string, input: string) => {
    const hcl = `module "m" {\n  source  = "${source}"\n  version = "~> 1.0"\n  ${input} = 1\n}\n`
    const [block] = (await opened.call('module_check', { hcl }))['blocks'] as {
      module?: { repository: string; ref: string }
      findings: unknown[]
    }[]
    return [block?.module?.ref, block?.findings.length]
  }

  assert.deepEqual(await judged('registry.example.com/acme/net/aws', 'net'), ['v1.0.0', 0])
  assert.deepEqual(await judged('registry.example.com/acme/net/aws//modules/sub', 'net_sub'), ['v1.0.0', 0])
  assert.deepEqual(await judged('acme/cluster/aws', 'cluster'), ['v1.0.0', 0])
  assert.deepEqual(await judged('other/net/aws', 'net'), [undefined, 1])
})

test('a name that fits several repositories is refused with their addresses', async (t) => {
  const { network, opened, build } = await project(t)
  const other = await build('group/other/network.git', 'x')
  const cluster = await build('mirror/acme/terraform-aws-cluster', 'y')
  const entries = [other, cluster].map((url) => ({ url, max_tags: 1 }))
  await opened.call('ingest_modules', { repositories: entries })

  for (const name of [{ id: 'network' }, { repository: 'network' }]) {
    await assert.rejects(seen(opened, name), {
      code: 'conflict',
      reason: 'id_ambiguous',
      message:
        /2 repositories are called "network": file:\S+other\/network\.git, file:\S+team\/network\.git\./,
    })
  }
  assert.equal(await seen(opened, { id: 'team/network' }), 'v2.0.0 net_new')
  assert.equal(await seen(opened, { id: network }), 'v2.0.0 net_new')
  await assert.rejects(seen(opened, { id: 'acme/cluster/aws' }), { reason: 'id_ambiguous' })
  const hcl = 'module "m" {\n  source  = "acme/cluster/aws"\n  version = "2.0.0"\n}\n'
  const { blocks } = await opened.call('module_check', { hcl })
  assert.match(JSON.stringify(blocks), /"code":"ambiguous_source".*mirror/)
  await assert.rejects(opened.call('module_upgrade', { hcl }), { reason: 'call_ambiguous' })
})

test('every door takes a name in place of an id', async (t) => {
  const { opened } = await project(t)
  await forEachDoor(t, opened, async (door) => {
    for (const id of ['network', 'team/network', 'acme/cluster/aws//modules/sub']) {
      const outcome = await door.call('get_module', { id, fields: ['variables'] })
      assert.equal(outcome.ok && outcome.data['ref'], 'v2.0.0', `${door.name} ${id}`)
    }
  })
})
