import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** The packages of Debian and Ubuntu put each version in a folder of its own, outside PATH. */
const PACKAGED = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65534
const PASSWORD = 'not-told'

/** A PostgreSQL of a test, which ends with it. */
export interface PostgresServer {
  readonly port: number
  /** With user and password, as `storage.url`. */
  readonly url: string
  /** The same server with another database. */
  urlOf(database: string): string
  /** Runs SQL as the superuser, and gives what psql prints. */
  sql(text: string, database?: string): string
  /** What pg_dump writes of a database. */
  dump(database: string): string
  restore(database: string, dump: string): void
  /** Kills the server in the middle of its work. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** The folder of the server programs of this system; undefined: none is installed. */
function programs(): string | undefined {
  const versions = existsSync(PACKAGED) ? readdirSync(PACKAGED).sort((a, b) => Number(b) - Number(a)) : []
  return versions
    .map((version) => join(PACKAGED, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')))
}

/**
 * Starts a server with an empty database in UTF8; undefined where PostgreSQL is not installed, said loudly.
 * `REQUIRE_POSTGRES=1` makes that a failure.
 */
export async function startPostgres(t: TestContext): Promise<PostgresServer | undefined> {
  const bin = programs()
  if (bin === undefined) {
    const told = 'SKIPPED: PostgreSQL is not installed (apt-get install postgresql)'
    if (process.env['REQUIRE_POSTGRES'] === '1') assert.fail(told)
    process.stderr.write(`${told}\n`)
    t.skip(told)
    return undefined
  }
  // Not the configured temporary folder: a path of over 100 bytes is no socket, and another user must reach it.
  const folder = mkdtempSync('/tmp/satchel-pg-')
  const as = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
  if ('uid' in as) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
  chmodSync(folder, 0o700)
  const options = { ...as, cwd: '/', env: { PATH: bin, LC_ALL: 'C.UTF-8' } }
  const run = (program: string, ...args: string[]): string =>
    execFileSync(join(bin, program), args, {
      ...options,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const data = join(folder, 'data')
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  run(
    'initdb',
    '-D',
    data,
    '-U',
    'keeper',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '-E',
    'UTF8',
    '-N',
  )
  const port = await freePort()
  let server: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  const start = async (): Promise<void> => {
    const settings = [
      'fsync=on',
      'max_connections=60',
      `unix_socket_directories=${folder}`,
      'listen_addresses=127.0.0.1',
    ]
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    // After a kill the orphans of the old server leave its memory a moment later.
    for (const deadline = Date.now() + 30_000; ; ) {
      const started = spawn(join(bin, 'postgres'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
      let told = ''
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        told = `${told}${text}`.slice(-2000)
      })
      server = started
      while (started.exitCode === null) {
        if (isReady(bin, folder, port)) return
        await wait(20)
      }
      assert.ok(Date.now() < deadline, `PostgreSQL did not start: ${told}`)
      await wait(50)
    }
  }
  t.after(kill)
  await start()
  const sql = (text: string, database = 'satchel'): string =>
    run(
      'psql',
      '-h',
      folder,
      '-p',
      String(port),
      '-U',
      'keeper',
      '-d',
      database,
      '-v',
      'ON_ERROR_STOP=1',
      '-XAtc',
      text,
    ).trim()
  sql(`create role app login password '${PASSWORD}'`, 'postgres')
  sql('create database satchel owner app', 'postgres')
  const urlOf = (database: string) => `postgres://app:${PASSWORD}@127.0.0.1:${port}/${database}`
  const at = ['-h', folder, '-p', String(port), '-U', 'keeper']
  const dump = (database: string) => run('pg_dump', ...at, database)
  const restore = (database: string, text: string): void => {
    const words = [...at, '-d', database, '-v', 'ON_ERROR_STOP=1', '-Xq']
    execFileSync(join(bin, 'psql'), words, { ...options, input: text, stdio: ['pipe', 'ignore', 'pipe'] })
  }
  return { port, url: urlOf('satchel'), urlOf, sql, dump, restore, kill, start }
}

function isReady(bin: string, folder: string, port: number): boolean {
  try {
    execFileSync(join(bin, 'pg_isready'), ['-q', '-h', folder, '-p', String(port)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
