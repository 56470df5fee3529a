import assert from 'node:assert/strict'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { plugin } from '../index.ts'
import { buildRemote, deleteRefs } from '../testing/build-remote.ts'

const code = (...inputs: string[]): string => inputs.map((name) => `variable "${name}" {}\n`).join('')
const NET = { repository: 'terraform-aws-net' }

/** Of four tags, two branches and two directories an ingest has read the root of the newest tag. */
async function project(t: TestContext, settings: object = {}) {
  const root = await temporaryFolder(t)
  const remote = join(root, 'terraform-aws-net.git')
  const url = await buildRemote(remote, [
    { files: { 'main.tf': code('first'), 'modules/sub/main.tf': code('sub_one') }, tags: ['v1.0.0'] },
    { files: { 'main.tf': code('second') }, tags: ['v1.1.0'] },
    { files: { 'main.tf': code('third'), 'modules/sub/main.tf': code('sub_three') } },
    { files: { 'main.tf': code('fourth') }, tags: ['v2.0.0'] },
    { branch: 'work', files: { 'main.tf': code('at_work') } },
  ])
  const clock = { at: Date.parse('2027-01-01') }
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories: [{ url, max_tags: 1 }], ...settings } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
    now: () => new Date(clock.at),
  })
  await opened.call('ingest_modules', {})
  const pass = (minutes: number): void => {
    clock.at += minutes * 60_000
  }
  return { root, remote, url, opened, pass, moveAway: () => rename(remote, `${remote}.old`) }
}

async function inputsOf(opened: TestHost, name: object): Promise<string[]> {
  const { module } = await opened.call('get_module', { ...name, fields: ['variables'] })
  return (module as { variables: { name: string }[] }).variables.map((variable) => variable.name)
}

async function checked(opened: TestHost, source: string, rest = '', inputs = '') {
  const hcl = `module "m" {\n  source = "${source}"\n${rest}${inputs}}\n`
  const { blocks } = await opened.call('module_check', { hcl })
  const [block] = blocks as { module?: { ref: string }; findings: { code: string; message: string }[] }[]
  return {
    ref: block?.module?.ref,
    codes: block?.findings.map((finding) => finding.code),
    said: block?.findings.map(({ message }) => message).join(' ') ?? '',
  }
}

async function commitOf(opened: TestHost, ref: string): Promise<string> {
  return String((await opened.call('get_module', { ...NET, ref }))['commit'])
}

test('a ref that no ingest has read is read by every tool that takes one, and is in no list', async (t) => {
  const { opened, url, root } = await project(t)
  const old = { ...NET, ref: 'v1.0.0' }

  assert.deepEqual(await inputsOf(opened, old), ['first'])
  assert.deepEqual(await inputsOf(opened, { ...NET, ref: 'work' }), ['at_work'])
  assert.deepEqual(await inputsOf(opened, { ...old, path: 'modules/sub' }), ['sub_one'])
  assert.deepEqual(await inputsOf(opened, { ...NET, ref: 'v2.0.0', path: 'modules/sub' }), ['sub_three'])
  const shown = await opened.call('get_module', { ...old, path: 'modules/sub' })
  assert.deepEqual([shown['ref_kind'], shown['kind']], ['tag', 'submodule'])
  assert.deepEqual(await inputsOf(opened, { id: String(shown['id']).slice(0, 12) }), ['sub_one'])

  const usage = await opened.call('module_usage', old)
  assert.match(String(usage['hcl']), /ref=v1\.0\.0"[\s\S]*first/)
  const diff = await opened.call('module_diff', { ...NET, from: 'v1.0.0', to: 'v1.1.0' })
  const changes = (diff['changes'] as { code: string; subject: string }[]).map((one) => [
    one.code,
    one.subject,
  ])
  assert.deepEqual(changes, [
    ['input_removed', 'first'],
    ['required_input_added', 'second'],
  ])
  const hcl = `module "m" {\n  source = "git::${url}?ref=v1.0.0"\n  first  = 1\n}\n`
  const upgrade = await opened.call('module_upgrade', { hcl, to: 'v1.1.0' })
  assert.match(JSON.stringify(upgrade['calls']), /"from":"v1\.0\.0","to":"v1\.1\.0"/)

  const versions = (await opened.call('list_module_versions', NET))['versions'] as { ref: string }[]
  assert.deepEqual(
    versions.map(({ ref }) => ref),
    ['v2.0.0'],
  )
  const found = (await opened.call('search_modules', {}))['results'] as unknown[]
  assert.equal(found.length, 1)
  const files = (await readdir(join(root, 'output'))).filter((name) => name.endsWith('.json'))
  assert.deepEqual(files, ['terraform-aws-net_v2.0.0.json'])
})

test('every tool reads a ref alike, with or without its "v", and says the same of one that is nowhere', async (t) => {
  const { opened, url } = await project(t)
  const hcl = `module "m" {\n  source = "git::${url}?ref=v1.0.0"\n  first  = 1\n}\n`
  const doors: ((ref: string) => Promise<unknown>)[] = [
    (ref) => opened.call('get_module', { ...NET, ref }),
    (ref) => opened.call('module_usage', { ...NET, ref }),
    (ref) => opened.call('module_diff', { ...NET, from: 'v1.0.0', to: ref }),
    (ref) => opened.call('module_upgrade', { hcl, to: ref }),
  ]

  const said: unknown[] = []
  for (const ask of doors) {
    for (const ref of ['2.0.0', '1.1.0'])
      assert.match(JSON.stringify(await ask(ref)), new RegExp(`"(?:ref|to)":"v${ref}"`))
    await ask('v1.9.9').then(
      () => assert.fail('it is nowhere'),
      ({ message, next }: Error & { next?: { tool?: string } }) => said.push([message, next?.tool]),
    )
  }
  const expected =
    'The index has no ref "v1.9.9". Nearest: v2.0.0. The remote has no branch or tag "v1.9.9". Nearest: "v1.1.0", "v1.0.0".'
  assert.deepEqual(
    said,
    said.map(() => [expected, 'list_module_versions']),
  )
})

test('a call names a ref as git reads it: with its "v", and behind tags/', async (t) => {
  const { opened, url } = await project(t)

  for (const ref of ['1.1.0', '2.0.0', 'V2.0.0']) {
    const { codes, said } = await checked(opened, `git::${url}?ref=${ref}`)
    assert.deepEqual(codes, ['unknown_ref'], ref)
    assert.match(said, new RegExp(`no branch or tag "${ref}"`))
  }
  const hcl = `module "m" {\n  source = "git::${url}?ref=1.1.0"\n}\n`
  assert.match(JSON.stringify(await opened.call('module_check', { hcl })), /"suggestion":"v1\.1\.0"/)
  for (const [ref, input] of [
    ['tags/v2.0.0', 'fourth'],
    ['tags/v1.1.0', 'second'],
    ['refs/tags/v1.0.0', 'first'],
  ] as const)
    assert.deepEqual((await checked(opened, `git::${url}?ref=${ref}`, '', `  ${input} = 1\n`)).codes, [], ref)
})

test('a call without a ref is judged by the default branch, and by the latest only where that cannot be read', async (t) => {
  const root = await temporaryFolder(t)
  const remote = join(root, 'terraform-aws-net.git')
  const url = await buildRemote(remote, [
    { files: { 'main.tf': code('first') }, tags: ['v1.0.0'] },
    { files: { 'main.tf': code('second'), 'modules/new/main.tf': code('third') } },
  ])
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories: [{ url, max_tags: 1 }] } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  await opened.call('ingest_modules', {})
  const branch = await checked(opened, `git::${url}`, '', '  second = 1\n')
  assert.deepEqual([branch.codes, branch.ref], [[], 'main'])
  const below = await checked(opened, `git::${url}//modules/new?depth=1`, '', '  third = 1\n')
  assert.deepEqual([below.codes, below.ref], [[], 'main'])

  await rm(join(root, 'output', '.satchel', 'asked'), { recursive: true })
  await rm(join(root, 'repos'), { recursive: true })
  await rename(remote, `${remote}.old`)
  const latest = await checked(opened, `git::${url}`, '', '  first = 1\n')
  assert.deepEqual([latest.codes, latest.ref], [[], 'v1.0.0'])
})

test('a directory that no ref has is refused with the nearest', async (t) => {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-aws-net.git'), [
    { files: { 'main.tf': code('first'), 'modules/node-group/main.tf': code('size') }, tags: ['v1.0.0'] },
    { files: { 'main.tf': code('second') }, tags: ['v2.0.0'] },
  ])
  const settings = { repositories: [{ url, recursive: true, max_tags: 1 }] }
  const opened = await openHost(t, {
    plugins: [{ plugin, settings }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  await opened.call('ingest_modules', {})

  for (const ref of ['v1.0.0', 'v2.0.0']) {
    const { codes, said } = await checked(opened, `git::${url}//modules/nodegroup?ref=${ref}`)
    assert.deepEqual(codes, ['module_missing'])
    assert.match(said, /has no module at modules\/nodegroup in v\d\.0\.0\. Nearest: modules\/node-group\.$/)
  }
})

test('a call of a directory that this ref lacks and another has is told so, and cannot be compared', async (t) => {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-aws-net.git'), [
    { files: { 'main.tf': code('first'), 'modules/node/main.tf': code('size') }, tags: ['v1.0.0'] },
    { removes: ['modules/node/main.tf'], files: { 'modules/nodes/main.tf': code('size') }, tags: ['v2.0.0'] },
  ])
  const settings = { repositories: [{ url, recursive: true, max_tags: 0 }] }
  const env = { PATH: process.env['PATH'] }
  const opened = await openHost(t, { plugins: [{ plugin, settings }], projectRoot: root, env })
  await opened.call('ingest_modules', {})
  const source = `git::${url}//modules/node?ref=v2.0.0`
  const said = `${url} has no module at modules/node in v2.0.0. Nearest: modules/nodes.`

  assert.deepEqual(await checked(opened, source), { ref: undefined, codes: ['module_missing'], said })
  const hcl = `module "m" {\n  source = "${source}"\n}\n`
  await assert.rejects(opened.call('module_upgrade', { hcl, to: 'v1.0.0' }), {
    code: 'not_found',
    message: `Line 1: the call "m" cannot be compared. ${said}`,
  })
})

test('a directory in a submodule is not said to be missing: Terraform fetches it', async (t) => {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-aws-net.git'), [
    { files: { 'main.tf': code('first') }, submodules: ['vendor/vpc'], tags: ['v1.0.0'] },
  ])
  const settings = { repositories: [{ url }] }
  const env = { PATH: process.env['PATH'] }
  const opened = await openHost(t, { plugins: [{ plugin, settings }], projectRoot: root, env })
  await opened.call('ingest_modules', {})

  const { codes } = await checked(opened, `git::${url}//vendor/vpc/modules/peer?ref=v1.0.0`)
  const elsewhere = await checked(opened, `git::${url}//vendor/other?ref=v1.0.0`)

  assert.deepEqual([codes, elsewhere.codes], [['module_not_indexed'], ['module_missing']])
  await assert.rejects(opened.call('get_module', { ...NET, path: 'vendor/vpc', ref: 'v1.0.0' }), {
    message: /vendor\/vpc of .* in v1\.0\.0 is in the submodule vendor\/vpc, which is not read/,
  })
})

test('a call is judged by the ref that it names, in every spelling of a pin', async (t) => {
  const { opened, url } = await project(t)
  const commit = await commitOf(opened, 'v1.1.0')
  const judged: [source: string, rest: string, inputs: string, ref: string][] = [
    [`git::${url}?ref=v1.1.0`, '', 'second = 1\n', 'v1.1.0'],
    [`git::${url}?ref=refs/tags/v1.1.0`, '', 'second = 1\n', 'refs/tags/v1.1.0'],
    [`git::${url}?ref=${commit}`, '', 'second = 1\n', commit],
    [`git::${url}//modules/sub?ref=v2.0.0`, '', 'sub_three = 1\n', 'v2.0.0'],
    [`git::${url}?ref=work`, '', 'at_work = 1\n', 'work'],
  ]
  for (const [source, rest, inputs, ref] of judged) {
    assert.deepEqual(await checked(opened, source, rest, inputs), { ref, codes: [], said: '' }, source)
    const wrong = await checked(opened, source, rest, 'fourth = 1\n')
    assert.deepEqual(wrong.codes, ['missing_input', 'unknown_input'], source)
  }
  const short = await checked(opened, `git::${url}?ref=${commit.slice(0, 9)}`, '', 'second = 1\n')
  assert.deepEqual([short.ref, short.codes], [undefined, ['unknown_ref']])
})

test('a registry call is judged by the newest tag that its constraint admits, indexed or not', async (t) => {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'acme', 'terraform-aws-net'), [
    { files: { 'main.tf': code('first') }, tags: ['v1.0.0'] },
    { files: { 'main.tf': code('second') }, tags: ['v1.1.0'] },
    { files: { 'main.tf': code('fourth') }, tags: ['v2.0.0'] },
  ])
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories: [{ url, max_tags: 1 }] } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  await opened.call('ingest_modules', {})
  const judge = (version: string, input: string) =>
    checked(opened, 'acme/net/aws', `  version = "${version}"\n`, `${input} = 1\n`)

  assert.deepEqual(await judge('~> 1.0', 'second'), { ref: 'v1.1.0', codes: [], said: '' })
  assert.deepEqual(await judge('1.0.0', 'first'), { ref: 'v1.0.0', codes: [], said: '' })
  const none = await judge('~> 3.0', 'first')
  assert.deepEqual(none.codes, ['unknown_ref'])
  assert.match(none.said, /no tag that the version constraint "~> 3\.0" admits/)
})

test('a ref that the remote lacks is refused with the nearest, and judged by no other', async (t) => {
  const { opened, url, remote, pass } = await project(t)
  const lost = { ...NET, ref: 'v1.0.1' }

  await assert.rejects(opened.call('get_module', lost), {
    reason: 'module_not_found',
    message: /no ref "v1\.0\.1".* The remote has no branch or tag "v1\.0\.1"\. Nearest: .*"v1\.0\.0"/,
  })
  const refused = await checked(opened, `git::${url}?ref=v1.0.1`, '', 'nonsense = 1\n')
  assert.deepEqual([refused.ref, refused.codes], [undefined, ['unknown_ref']])
  assert.match(
    refused.said,
    /not checked; the latest is v2\.0\.0\. The remote has no branch or tag "v1\.0\.1"/,
  )
  const unknown = await checked(opened, `git::${url}?ref=${'0'.repeat(40)}`)
  assert.match(unknown.said, /The remote has no such commit/)
  const nowhere = await checked(opened, `git::${url}//modules/none?ref=v1.0.0`)
  assert.deepEqual(nowhere.codes, ['module_missing'])
  assert.match(nowhere.said, /has no module at modules\/none in v1\.0\.0\.$/)
  for (const ref of ['--upload-pack=x', 'a..b', 'HEAD', 'refs/pull/1/head', '../../x', 'v1\u202e']) {
    await assert.rejects(opened.call('get_module', { ...NET, ref }), { reason: 'module_not_found' }, ref)
  }

  // It vanishes after it was read: what is kept is used for an hour, then the remote counts.
  assert.deepEqual(await inputsOf(opened, { ...NET, ref: 'v1.0.0' }), ['first'])
  await deleteRefs(remote, ['refs/tags/v1.0.0'])
  pass(59)
  assert.deepEqual(await inputsOf(opened, { ...NET, ref: 'v1.0.0' }), ['first'])
  pass(2)
  await assert.rejects(inputsOf(opened, { ...NET, ref: 'v1.0.0' }), { reason: 'module_not_found' })
})

test('a call of a tag that an ingest found deleted is not compared with what was read of it, which is said', async (t) => {
  for (const read_missing_refs of [true, false]) await assertDeletionIsSaid(t, { read_missing_refs })
})

async function assertDeletionIsSaid(t: TestContext, settings: object): Promise<void> {
  const { opened, remote, url, moveAway } = await project(t, settings)
  const source = `git::${url}?ref=v2.0.0`
  assert.deepEqual((await checked(opened, source, '', 'fourth = 1\n')).codes, [])
  await deleteRefs(remote, ['refs/tags/v2.0.0'])
  await opened.call('ingest_modules', {})

  for (const isAway of [false, true]) {
    if (isAway) await moveAway()
    const found = await checked(opened, source, '', 'fourth = 1\n')
    assert.deepEqual([found.ref, found.codes], [undefined, ['unknown_ref']])
    assert.match(found.said, /The last ingest found it deleted\./)
    const hcl = `module "m" {\n  source = "${source}"\n}\n`
    await assert.rejects(opened.call('module_upgrade', { hcl, to: 'v1.0.0' }), {
      reason: 'call_ref_unknown',
      message: /names v2\.0\.0, .* found it deleted\..* Change it by hand to a ref that is there\.$/,
    })
    await assert.rejects(opened.call('module_usage', { ...NET, ref: 'v2.0.0' }), {
      reason: 'module_not_found',
      message: /^v2\.0\.0 was deleted from /,
    })
  }
}

test('a tag that was moved by force is read again within the hour, a commit never', async (t) => {
  const { opened, remote, pass } = await project(t)
  const before = await commitOf(opened, 'v1.0.0')
  assert.deepEqual(await inputsOf(opened, { ...NET, ref: before }), ['first'])

  await buildRemote(remote, [{ branch: 'forced', files: { 'main.tf': code('moved') }, tags: ['v1.0.0'] }])
  pass(61)

  assert.deepEqual(await inputsOf(opened, { ...NET, ref: 'v1.0.0' }), ['moved'])
  assert.deepEqual(await inputsOf(opened, { ...NET, ref: before }), ['first'])
})

test('without its remote a ref is read from the clone, or from what is kept, or refused with the reason', async (t) => {
  const { opened, url, pass, moveAway, root } = await project(t)
  const old = { ...NET, ref: 'v1.0.0' }
  assert.deepEqual(await inputsOf(opened, old), ['first'])

  await moveAway()
  pass(61)
  assert.deepEqual(await inputsOf(opened, old), ['first'])
  assert.deepEqual(await inputsOf(opened, { ...NET, ref: 'v2.0.0', path: 'modules/sub' }), ['sub_three'])
  assert.deepEqual(await inputsOf(opened, { ...old, path: 'modules/sub' }), ['sub_one'])
  const refused = await checked(opened, `git::${url}?ref=v1.1.0`, '', 'second = 1\n')
  assert.deepEqual([refused.ref, refused.codes], [undefined, ['unknown_ref']])
  assert.match(refused.said, /The remote has no such repository/)

  await rm(join(root, 'output', '.satchel', 'asked'), { recursive: true })
  await rm(join(root, 'repos'), { recursive: true })
  await assert.rejects(inputsOf(opened, old), { reason: 'module_not_found' })
})

test('switched off, or of a repository that is not configured, a ref is not read', async (t) => {
  const off = await project(t, { read_missing_refs: false })
  await assert.rejects(inputsOf(off.opened, { ...NET, ref: 'v1.0.0' }), {
    reason: 'module_not_found',
    message: 'The index has no ref "v1.0.0". Nearest: v2.0.0.',
  })
  const unread = await checked(off.opened, `git::${off.url}?ref=v1.0.0`)
  assert.deepEqual(unread.codes, ['unknown_ref'])

  const other = await buildRemote(join(off.root, 'terraform-aws-other.git'), [
    { files: { 'main.tf': code('a') }, tags: ['v1.0.0'] },
  ])
  const { opened } = await project(t)
  assert.deepEqual((await checked(opened, `git::${other}?ref=v1.0.0`)).codes, ['module_not_indexed'])
})

test('one call starts at most ten reads', async (t) => {
  const { opened, url } = await project(t)
  const block = (at: number): string => `module "m${at}" {\n  source = "git::${url}?ref=v0.${at}.0"\n}\n`
  const hcl = Array.from({ length: 12 }, (_, at) => block(at)).join('')
  const { blocks } = await opened.call('module_check', { hcl })
  const said = (blocks as { findings: { message: string }[] }[]).map(
    ({ findings }) => findings[0]?.message ?? '',
  )
  assert.equal(said.filter((one) => /no branch or tag/.test(one)).length, 10)
  assert.equal(said.filter((one) => /at most 10 refs/.test(one)).length, 2)
})
