/** Types the plugin's verb as a person would, and checks what comes back. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = dirname(createRequire(import.meta.url).resolve('satchel/package.json'))
const satchel = (...argv) =>
  spawnSync(process.execPath, [join(root, 'dist', 'satchel.js'), ...argv], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })

const plain = satchel('greet', 'Ada')
assert.deepEqual([plain.status, plain.stdout, plain.stderr], [0, 'Hello, Ada!\n', ''])

const loud = satchel('greet', 'Ada', '--loud', '--json')
assert.deepEqual(JSON.parse(loud.stdout), { greeting: 'HELLO, ADA!' })

const wrong = satchel('greet', '--lout', 'Ada')
assert.equal(wrong.status, 2)
assert.match(wrong.stderr, /Did you mean --loud\?/)

const checked = satchel('plugin', 'check', 'plugin.js')
assert.equal(checked.status, 0, checked.stdout)

console.log('minimal-plugin: ok')
