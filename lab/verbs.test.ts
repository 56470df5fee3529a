import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openProject } from '../server/cli/testing/run-cli.ts'

test('bench measures a subject of its own, and runs the command of another plugin', async (t) => {
  const { satchel } = await openProject(t)

  const calls = await satchel(['bench', 'calls', '--json', '-q'])
  const probe = await satchel(['bench', 'probe', '--json'])
  const unknown = await satchel(['bench', 'prob', '--json'])
  const torture = await satchel(['torture', 'nothing', '--json'])

  const [figure] = JSON.parse(calls.out).figures
  assert.equal(figure.name, 'calls.extra.tools')
  assert.ok(figure.ours > 0 && figure.against > 0)
  assert.ok(Math.abs(figure.ratio - figure.ours / figure.against) < 1e-9)
  assert.deepEqual(probe, { code: 0, out: '{"probe":true}\n', err: '' })
  assert.deepEqual([unknown.code, JSON.parse(unknown.out).error.details?.['nearest']], [2, 'bench probe'])
  assert.deepEqual([torture.code, JSON.parse(torture.out).error.reason], [2, 'unknown_verb'])
})
