import assert from 'node:assert/strict'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildRemote, deleteRefs } from '../testing/build-remote.ts'
import { ingested, NETWORK, type Stage } from '../testing/network-project.ts'

const kindOf = ({ opened }: Stage, name: string) =>
  opened.host.registry.evidence.find(({ kind }) => kind.name === name)?.kind ?? assert.fail(name)

function at(stage: Stage, name: string) {
  const kind = kindOf(stage, name)
  const place = { root: stage.root, signal: new AbortController().signal }
  return {
    capture: (named: unknown) => kind.capture(named, place),
    verify: (facts: Readonly<Record<string, unknown>>) => kind.verify(facts, place),
    describe: kind.describe,
  }
}

const named = (ref: string, path = '.') => ({ repository: 'terraform-aws-network', ref, path })

/** A later state of the network repository. */
async function release(stage: Stage, commit: Parameters<typeof buildRemote>[1][number]) {
  await buildRemote(join(stage.root, 'terraform-aws-network.git'), [{ continues: true, ...commit }])
  const report = await stage.opened.call('ingest_modules', {})
  assert.deepEqual(report['failures'], [])
}

test('a module claim holds, then names what a newer version breaks', async (t) => {
  const stage = await ingested(t)
  const module = at(stage, 'module')
  const usage = await stage.opened.call('module_usage', named('v2.0.0'))

  const { facts } = await module.capture(usage['id'])
  const held = await module.verify(facts)
  await release(stage, { files: { 'more.tf': 'variable "more" {\n  default = 1\n}\n' }, tags: ['v2.1.0'] })
  const minor = await module.verify(facts)
  await release(stage, { files: { 'extra.tf': '' }, tags: ['v6.7.0'] })
  const breaking = await module.verify(facts)

  assert.deepEqual(Object.keys(facts).sort(), ['commit', 'digest', 'path', 'ref', 'repository'])
  assert.deepEqual(held, { verdict: 'holds', reason: 'v2.0.0 has the same commit and interface' })
  assert.deepEqual(minor, { verdict: 'holds', reason: 'v2.1.0 is out without a breaking change' })
  assert.deepEqual(breaking, {
    verdict: 'stale',
    reason: 'v6.7.0 is out: 1 breaking change (input `name` removed)',
  })
  assert.match(module.describe(facts), /terraform-aws-network.*@v2\.0\.0$/)
})

test('a module that newer versions do not have was removed since the first of them', async (t) => {
  const stage = await ingested(t)
  const module = at(stage, 'module')
  const { facts } = await module.capture(named('v2.0.0', 'modules/peering'))

  await release(stage, { removes: ['modules/peering/main.tf'], tags: ['v3.0.0'] })
  await release(stage, { files: { 'docs.md': 'x' }, tags: ['v3.1.0'] })

  assert.deepEqual(await module.verify(facts), { verdict: 'stale', reason: 'removed since v3.0.0' })
})

test('a tag that was moved contradicts the claim if its interface changed', async (t) => {
  const stage = await ingested(t)
  const module = at(stage, 'module')
  const { facts } = await module.capture(named('v2.0.0'))

  await release(stage, { files: { 'notes.md': 'x' }, tags: ['v2.0.0'] })
  const same = await module.verify(facts)
  await release(stage, { files: { 'main.tf': `${NETWORK}variable "late" {}\n` }, tags: ['v2.0.0'] })
  const other = await module.verify(facts)

  assert.deepEqual(same.verdict, 'moved')
  assert.deepEqual(other, {
    verdict: 'contradicted',
    reason: 'the tag v2.0.0 now names another commit, and the interface changed',
  })
})

test('what is not known here is unverifiable with the reason, never guessed', async (t) => {
  const stage = await ingested(t)
  const module = at(stage, 'module')
  const { facts } = await module.capture(named('v1.0.0'))
  const reason = async (more: Record<string, unknown>) => {
    const found = await module.verify({ ...facts, ...more })
    assert.equal(found.verdict, 'unverifiable')
    return found.reason
  }

  assert.match(await reason({ repository: 'file:///other/machine.git' }), /machine\.git is not ingested here/)
  assert.match(await reason({ ref: 'v0.9.0' }), /@v0\.9\.0 is not ingested here/)
  assert.match(await reason({ path: 'modules/none' }), /modules\/none@v1\.0\.0 is not ingested here/)
  assert.match(await reason({ digest: 'md5:d41d8cd98f00b204e9800998ecf8427e' }), /"md5" cannot be compared/)
  assert.match(await reason({ digest: 7 }), /lack "digest"/)
  assert.match(await reason({ commit: null }), /lack "commit"/)
  assert.match(await reason({ digest: `sha256:${'0'.repeat(64)}` }), /read differently/)
  await deleteRefs(join(stage.root, 'terraform-aws-network.git'), ['refs/tags/v1.0.0'])
  await stage.opened.call('ingest_modules', {})
  assert.equal((await module.verify(facts)).verdict, 'stale', 'what is stored is still compared')
  await assert.rejects(module.capture('00000000'), { reason: 'module_not_found' })
  await assert.rejects(module.capture(7), { reason: 'options_invalid' })
})

test('a check of files is made again, and a call that no longer fits contradicts it', async (t) => {
  const stage = await ingested(t)
  const check = at(stage, 'module_check')
  const call = (input: string) =>
    `module "n" {\n  source = "git::${stage.network}?ref=v1.0.0"\n  cidr   = "10.0.0.0/16"\n  ${input}\n}\n`
  await mkdir(join(stage.root, 'infra'))
  const write = (text: string) => writeFile(join(stage.root, 'infra/main.tf'), text)

  await write(call('enable_nat = true'))
  const captured = await check.capture('infra/main.tf')
  const held = await check.verify(captured.facts)
  await write(call('enable_nt = true'))
  const wrong = await check.verify(captured.facts)
  const known = await check.capture({ files: ['infra/main.tf'] })
  const again = await check.verify(known.facts)
  await rm(join(stage.root, 'infra/main.tf'))
  const missing = await check.verify(captured.facts)

  assert.deepEqual(held, { verdict: 'holds', reason: 'infra/main.tf: 1 module call checked, nothing found' })
  assert.equal(wrong.verdict, 'contradicted')
  assert.match(wrong.reason, /^infra\/main\.tf: 1 finding \(line 4: .*enable_nt/)
  assert.equal(known.verdict, 'contradicted', 'the author is told')
  assert.deepEqual(again.verdict, 'holds', 'nothing new was found')
  assert.deepEqual(missing, { verdict: 'contradicted', reason: '"infra/main.tf" is missing' })
  assert.match(check.describe(captured.facts), /infra\/main\.tf/)
})

test('a call of what is not ingested here gives no finding, and a local one no check', async (t) => {
  const stage = await ingested(t)
  const check = at(stage, 'module_check')
  const block = (name: string, source: string) => `module "${name}" {\n  source = "${source}"\n}\n`
  const fits = `module "n" {\n  source = "git::${stage.network}?ref=v1.0.0"\n  cidr = "10.0.0.0/16"\n}\n`
  const foreign = block('x', 'acme/queue/aws')
  const captured = async (text: string) => {
    await writeFile(join(stage.root, 'main.tf'), text)
    return check.capture('main.tf')
  }

  const local = await captured(block('l', './modules/l'))
  const unread = await captured(block('n', `git::${stage.network}?ref=v9.0.0`))
  const mixed = await captured(`${fits}${foreign}`)
  const again = await check.verify(mixed.facts)
  await writeFile(join(stage.root, 'main.tf'), `${fits}${foreign}${block('y', 'acme/topic/aws')}`)
  const more = await check.verify(mixed.facts)

  const told = ({ verdict, reason }: { verdict: string; reason: string }) => `${verdict}: ${reason}`
  assert.equal(told(local), 'unverifiable: main.tf: it calls local modules only')
  assert.match(told(unread), /^unverifiable: main\.tf: line 2: v9\.0\.0 is not an indexed version/)
  assert.match(told(mixed), /^unverifiable: main\.tf: line 6: No indexed module has the source acme/)
  assert.equal(
    told(again),
    'holds: main.tf: 1 module call checked, nothing found, 1 call not ingested here, as before',
  )
  assert.match(told(more), /^unverifiable: main\.tf: line 6: .*; line 9: /)
})

test('no file outside the project is read, also through a link', async (t) => {
  const stage = await ingested(t)
  const check = at(stage, 'module_check')
  await symlink('/etc', join(stage.root, 'link'))

  for (const path of ['../x.tf', '/etc/hosts', 'link/hosts']) {
    const found = await check.verify({ files: [{ path }] })
    assert.deepEqual([found.verdict, /outside the project/.test(found.reason)], ['unverifiable', true], path)
    await assert.rejects(check.capture(path), { reason: 'options_invalid' })
  }
  for (const facts of [
    {},
    { files: [] },
    { files: 'x'.repeat(9) },
    { files: [{ path: '' }] },
    { files: Array(101).fill('a.tf') },
  ]) {
    assert.notEqual((await check.verify(facts)).verdict, 'holds')
  }
})

test('of a Markdown text the HCL blocks are checked, and findings name its lines', async (t) => {
  const stage = await ingested(t)
  const check = at(stage, 'module_check')
  const text = (ref: string) =>
    `# Plan\n\n\`\`\`hcl\nmodule "n" {\n  source = "git::${stage.network}?ref=${ref}"\n  cidr = "10.0.0.0/16"\n  name = "a"\n}\n\`\`\`\n\n\`\`\`sh\nmodule "x" {}\n\`\`\`\n`

  const right = await check.capture({ text: text('v2.0.0') })
  const wrong = await check.capture({ text: text('v1.0.0') })
  const none = await check.capture({ text: '# Plan\n\nNo code.\n' })

  assert.deepEqual([right.verdict, right.reason], ['holds', 'the text: 1 module call checked, nothing found'])
  assert.equal(wrong.verdict, 'contradicted')
  assert.match(wrong.reason, /line 7: /)
  assert.deepEqual([none.verdict, none.reason], ['unverifiable', 'the text calls no module'])
})
