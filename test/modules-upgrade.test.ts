import assert from 'node:assert/strict'
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { upgradeProject } from '../plugins/modules/testing/upgrade-project.ts'
import { runSatchel } from './satchel-process.ts'

test('a call in a .tf.json file is compared as any other, and left to be changed by hand', async (t) => {
  const { root, url } = await upgradeProject(t)
  await writeFile(
    join(root, 'satchel.yaml'),
    JSON.stringify({ repositories: [{ url, max_tags: 0 }], output_dir: './output', clone_dir: './repos' }),
  )
  const call = { source: `git::${url}?ref=v1.0.0`, cluster_name: 'a' }
  const text = JSON.stringify({ module: { k: call } })
  await mkdir(join(root, 'live'))
  await writeFile(join(root, 'live/main.tf.json'), text)
  const upgrade = (path: string) =>
    runSatchel(root, ['modules', 'upgrade', path, '--to', '2.0.0', '--write', '--json'])

  for (const path of ['live', 'live/main.tf.json']) {
    const { code, out } = await upgrade(path)
    const { calls, written } = JSON.parse(out)
    assert.deepEqual([code, calls.length, calls[0].verdict, calls[0].edited], [3, 1, 'breaking', undefined])
    assert.match(JSON.stringify(calls[0].changes), /The input cluster_name was removed/)
    assert.deepEqual(written, [])
  }
  assert.equal(await readFile(join(root, 'live/main.tf.json'), 'utf8'), text)
})

test('what override files state of a call counts, and is left to be changed by hand', async (t) => {
  const { root, url } = await upgradeProject(t)
  await writeFile(
    join(root, 'satchel.yaml'),
    JSON.stringify({ repositories: [{ url, max_tags: 0 }], output_dir: './output', clone_dir: './repos' }),
  )
  await mkdir(join(root, 'live'))
  const call = `module "k" {\n  source       = "git::${url}?ref=v1.0.0"\n  cluster_name = "a"\n}\n`
  await writeFile(join(root, 'live/main.tf'), call)
  const upgrade = async (override: string) => {
    await writeFile(join(root, 'live/main_override.tf'), `module "k" {\n${override}}\n`)
    const { code, out } = await runSatchel(root, ['modules', 'upgrade', 'live', '--to', '2.0.0', '--json'])
    return { code, ...JSON.parse(out) }
  }

  const inputs = await upgrade('  legacy    = true\n  retention = 7\n  owner     = "o"\n')
  const source = await upgrade(`  source = "git::${url}?ref=v2.0.0"\n`)

  const [{ changes, edited, remaining }] = inputs.calls
  const said = changes.map(({ code, subject }: { code: string; subject: string }) => `${code} ${subject}`)
  assert.deepEqual(inputs.skipped, [])
  assert.equal(said.includes('input_removed legacy'), true, said.join('\n'))
  assert.equal(said.includes('default_changed retention'), false, said.join('\n'))
  assert.match(edited, /\n {2}owner = "TODO"\n/) // the block itself must have it
  assert.deepEqual(
    remaining.map(({ code }: { code: string }) => code),
    ['unknown_attribute'],
  )
  assert.match(remaining[0].message, /"legacy"/)
  assert.doesNotMatch(inputs.diff, /override/)
  assert.deepEqual([source.code, source.error.reason], [5, 'call_overridden'])
  assert.match(
    source.error.message,
    /live\/main_override\.tf:1 overrides the source or version of the call "k"/,
  )
})

test('modules upgrade shows a diff and writes only with --write, through a link and with the mode of the file', async (t) => {
  const { root, url } = await upgradeProject(t)
  await writeFile(
    join(root, 'satchel.yaml'),
    JSON.stringify({ repositories: [{ url, max_tags: 0 }], output_dir: './output', clone_dir: './repos' }),
  )
  const call = `module "k" {\n  source       = "git::${url}?ref=v1.0.0"\n  cluster_name = "a"\n}\n`
  await mkdir(join(root, 'live'))
  await writeFile(join(root, 'kept.tf'), call, { mode: 0o600 })
  await symlink('../kept.tf', join(root, 'live/main.tf'))
  await writeFile(join(root, 'live/outputs.tf'), 'output "x" {\n  value = module.k.endpoint\n}\n')
  const upgrade = (...more: string[]) =>
    runSatchel(root, ['modules', 'upgrade', 'live', '--to', '2.0.0', ...more])

  const shown = await upgrade()
  const untouched = await readFile(join(root, 'kept.tf'), 'utf8')
  const written = await upgrade('--write', '--json')
  const after = await readFile(join(root, 'kept.tf'), 'utf8')
  const again = await upgrade('--json')
  const missing = await runSatchel(root, ['modules', 'upgrade', 'none.tf', '--json'])

  assert.equal(shown.code, 3, shown.err)
  assert.match(shown.out, /^ {2}breaking {2}The output endpoint was removed\. \(live\/outputs\.tf:2\)$/m)
  assert.match(shown.out, /^\+\+\+ live\/main\.tf$/m)
  assert.match(shown.out, /^\+ {2}source {7}= ".*\?ref=v2\.0\.0"$/m)
  assert.match(shown.out, /^ {2}\| ### ⚠ BREAKING CHANGES$/m)
  assert.match(shown.err, /--write/)
  assert.equal(untouched, call)
  assert.deepEqual(JSON.parse(written.out).written, ['live/main.tf'])
  assert.match(after, /\?ref=v2\.0\.0"\n {2}# was cluster_name: a guess.*\n {2}name = "a"\n/)
  assert.equal((await lstat(join(root, 'live/main.tf'))).isSymbolicLink(), true)
  assert.equal((await lstat(join(root, 'kept.tf'))).mode & 0o777, 0o600)
  assert.equal(again.code, 5, again.out)
  assert.equal(JSON.parse(again.out).error.reason, 'nothing_to_upgrade')
  assert.equal(missing.code, 4)
})
