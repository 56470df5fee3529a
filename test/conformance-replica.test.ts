import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FROM_SOURCES } from './from-sources.ts'
import { startPostgres } from './postgres-server.ts'

test('the official conformance suite passes at a server that shares its sessions in a database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return

  const suite = spawn(process.execPath, [...FROM_SOURCES, 'scripts/conformance.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, SATCHEL_STORAGE_URL: server.url, CONFORMANCE_RESULTS: 'conformance-replica' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(suite.stdout), text(suite.stderr), once(suite, 'close')])

  assert.equal(code, 0, `${out}${err}`)
  const opened = server.sql('select count(*) from satchel.writes where changed > 0')
  assert.ok(Number(opened) > 10, `${opened} sessions were written`)
})
