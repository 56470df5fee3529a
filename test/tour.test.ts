import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { installPacked } from './fixtures/packed.ts'

const ROOT = join(import.meta.dirname, '..')

test('from the tarball the whole tour runs: vectors, SQL and both clients without packages of their own', async (t) => {
  const folder = await installPacked(t)
  const demo = join(folder, 'node_modules', 'satchel', 'dist', 'demo.js')

  const { stdout: said } = await promisify(execFile)(process.execPath, [demo], { cwd: ROOT })

  assert.ok((said.match(/^ +ok: /gm) ?? []).length >= 10, said)
  assert.match(said, /^ +ok: the module releases version 7, and the gate turns to care$/m)
  for (const name of ['vectra', 'sql.js', '@modelcontextprotocol'])
    await assert.rejects(access(join(folder, 'node_modules', name)), { code: 'ENOENT' })
})
