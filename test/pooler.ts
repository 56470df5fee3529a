import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { killed } from './harness/killed.ts'
import { skipWithout } from './harness/skip-without.ts'
import type { PostgresServer } from './postgres-server.ts'
import { programPath } from './proxy-network.ts'

/** PgBouncer refuses to run as root. */
const UNPRIVILEGED = 65534

/**
 * Starts a PgBouncer that gives connections of `server` for one transaction each, as few as force callers to change them. Gives
 * its address as `storage.url`; undefined where it is not installed, said loudly.
 * `REQUIRE_POOLER=1` makes that a failure.
 */
export async function startPooler(t: TestContext, server: PostgresServer): Promise<string | undefined> {
  const program = programPath('pgbouncer')
  if (program === undefined) {
    skipWithout(t, 'REQUIRE_POOLER', 'PgBouncer is not installed (apt-get install pgbouncer)')
    return undefined
  }
  const folder = mkdtempSync('/tmp/satchel-pooler-')
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const as = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
  const port = await freePort()
  const { username, password, pathname } = new URL(server.url)
  const settings = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `satchel = host=127.0.0.1 port=${server.port} dbname=${pathname.slice(1)} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
    'ignore_startup_parameters = statement_timeout',
  ]
  writeFileSync(settings, lines.join('\n'))
  if ('uid' in as) for (const path of [folder, settings]) chownSync(path, UNPRIVILEGED, UNPRIVILEGED)
  chmodSync(folder, 0o700)
  const pooler = spawn(program, [settings], { ...as, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => killed(pooler))
  let told = ''
  pooler.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = `${told}${text}`.slice(-2000)
  })
  for (const deadline = Date.now() + 30_000; !/process up/.test(told); ) {
    assert.ok(Date.now() < deadline && pooler.exitCode === null, `PgBouncer did not start: ${told}`)
    await wait(20)
  }
  const url = new URL(server.url)
  url.port = String(port)
  url.pathname = '/satchel'
  return url.href
}
