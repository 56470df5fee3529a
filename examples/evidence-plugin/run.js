/** Creates a record that names an image, pins another digest, and checks what the next session is told. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = dirname(createRequire(import.meta.url).resolve('satchel/package.json'))
const config = join(import.meta.dirname, 'satchel.yaml')
const cwd = mkdtempSync(join(tmpdir(), 'satchel-evidence-'))
const satchel = (input, ...argv) => {
  const flags = ['--json', '--project', cwd, ...(argv.includes('--config') ? [] : ['--config', config])]
  const ran = spawnSync(process.execPath, [join(root, 'dist', 'satchel.js'), ...argv, ...flags], {
    cwd,
    input: JSON.stringify(input),
    encoding: 'utf8',
  })
  assert.notEqual(ran.stdout, '', ran.stderr)
  return JSON.parse(ran.stdout)
}
const pin = (letter) => writeFileSync(join(cwd, 'images.lock'), `app:1.4@sha256:${letter.repeat(64)}\n`)
const record = (image) => ({
  title: 'Release the app',
  objective: 'Ship 1.4',
  current_state: 'The tests passed.',
  evidence: [{ type: 'observation', claim: 'the tests ran in this image', image }],
})
const claim = (...argv) => satchel({}, 'handoff', 'fresh', id, ...argv).claims[0]

pin('a')
const refused = satchel(record('app:9'), 'handoff', 'create', '--input', '-')
assert.equal(refused.error.reason, 'evidence_not_captured')
const { id } = satchel(record('app:1.4'), 'handoff', 'create', '--input', '-')
assert.equal(claim().verdict, 'holds')

pin('b')
assert.deepEqual(claim().reason, 'images.lock now pins sha256:bbbbbbbbbbbb')

const without = join(cwd, 'without.yaml')
writeFileSync(without, 'plugins: {}\n')
assert.equal(claim('--config', without).verdict, 'unverifiable')

rmSync(cwd, { recursive: true })
console.log('evidence-plugin: ok')
