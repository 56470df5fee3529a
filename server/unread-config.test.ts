import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/harness/index.ts'
import { startCli } from './cli/testing/run-cli.ts'

test('a folder where satchel.yaml should be is told, as one that a container made', async (t) => {
  const root = realpathSync(await temporaryFolder(t))
  mkdirSync(join(root, 'satchel.yaml'))

  const { code, err } = await startCli(['handoff', 'list'], { cwd: root, env: { HOME: root } }).done

  assert.equal(code, 0, err)
  assert.match(err, /satchel\.yaml was not read: it is a folder, pipe or device\./)
})

test('a satchel.yaml of the project root that is not in use is told once, by verbs and by doctor', async (t) => {
  const root = realpathSync(await temporaryFolder(t))
  const [pkg, own] = [join(root, 'pkg'), join(root, 'own')]
  for (const folder of [join(root, '.git'), pkg, own]) mkdirSync(folder)
  const file = join(root, 'satchel.yaml')
  writeFileSync(file, 'handoff: { store: notes/handoffs }\n')
  writeFileSync(join(own, 'satchel.yaml'), 'handoff: { store: own }\n')
  const run = (cwd: string, ...words: readonly string[]) => startCli(words, { cwd, env: { HOME: root } }).done

  for (const words of [
    ['handoff', 'list'],
    ['handoff', 'note', 'next', 'x'],
    ['config', 'show', '--origin'],
  ]) {
    const { code, err } = await run(pkg, ...words)
    assert.equal(code, 0, err)
    assert.equal(err.split(file).length, 2, `${words.join(' ')}: ${err}`)
    assert.match(err, /satchel\.yaml was not read: run satchel in its folder, or name it with --config\.\n/)
  }
  const { out } = await run(pkg, 'doctor', '--json')
  const [finding] = JSON.parse(out).findings.filter(
    ({ subject }: { subject: string }) => subject === 'configuration',
  )
  assert.deepEqual([finding.level, finding.detail.startsWith(`${file} was not read`)], ['warning', true])

  const read: readonly (readonly [string, readonly string[]])[] = [
    [root, []],
    [own, []],
    [pkg, ['--config', file]],
    [pkg, ['--project', pkg]],
  ]
  for (const [cwd, flags] of read) {
    const { code, err } = await run(cwd, 'handoff', 'list', ...flags)
    assert.equal(code, 0, err)
    assert.doesNotMatch(err, /was not read/, flags.join(' '))
  }
})
