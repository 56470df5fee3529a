import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { systemProcesses } from '../server/platform/process-liveness.ts'
import { freePort } from './free-port.ts'
import { killed } from './harness/killed.ts'
import { skipWithout } from './harness/skip-without.ts'
import { until as untilTrue } from './harness/until.ts'

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
  /**
   * Waits until a condition in SQL is true, at most a minute. Asks at one connection, without a program for each look, and
   * leaves this process to what it waits for.
   */
  until(condition: string, options?: { readonly database?: string; isOver?(): boolean }): Promise<void>
  /** What pg_dump writes of a database. */
  dump(database: string): string
  restore(database: string, dump: string): void
  /** Kills the server in the middle of its work. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Another server with the same rows, which follows this one and takes no writes. */
  startStandby(): Promise<Standby>
  /** Freezes all its processes, as a machine that hangs: connections stay open, and nothing is answered. */
  pause(): { resume(): void }
}

/** A server, wherever its rows came from. */
export type RunningServer = Omit<PostgresServer, 'dump' | 'restore'>

/** A server that follows another one. */
export interface Standby extends RunningServer {
  /** Makes it a server that takes writes. */
  promote(): void
}

/** The folder of the server programs of this system; undefined: none is installed. */
function programs(): string | undefined {
  const versions = existsSync(PACKAGED) ? readdirSync(PACKAGED).sort((a, b) => Number(b) - Number(a)) : []
  return versions
    .map((version) => join(PACKAGED, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')))
}

interface Place {
  readonly bin: string
  readonly folder: string
  /** The user and the environment of its programs. */
  readonly options: {
    readonly uid?: number
    readonly gid?: number
    readonly cwd: string
    readonly env: NodeJS.ProcessEnv
  }
  run(program: string, ...args: string[]): string
  /** Ends its servers. */
  readonly kills: (() => Promise<void>)[]
}

/**
 * Starts a server with an empty database in UTF8; undefined where PostgreSQL is not installed, said loudly.
 * `REQUIRE_POSTGRES=1` makes that a failure.
 */
export async function startPostgres(t: TestContext): Promise<PostgresServer | undefined> {
  const bin = programs()
  if (bin === undefined) {
    skipWithout(t, 'REQUIRE_POSTGRES', 'PostgreSQL is not installed (apt-get install postgresql)')
    return undefined
  }
  const place = newPlace(t, bin)
  const data = join(place.folder, 'data')
  makeData(place, data)
  const server = await openServer(t, place, data)
  await server.start()
  const at = ['-h', place.folder, '-p', String(server.port), '-U', 'keeper']
  return {
    ...server,
    dump: (database) => place.run('pg_dump', ...at, database),
    restore(database, text) {
      const args = [...at, '-d', database, '-v', 'ON_ERROR_STOP=1', '-Xq']
      execFileSync(join(bin, 'psql'), args, {
        ...place.options,
        input: text,
        stdio: ['pipe', 'ignore', 'pipe'],
      })
    },
    startStandby: () => startStandby(t, place, server.port),
  }
}

/**
 * Makes a data folder with an empty database: as a copy of that of an earlier server of the run, where there is one, because
 * to make one takes longer than all that most tests ask of it. Copies are one cluster by PostgreSQL's identifier.
 */
function makeData(place: Place, data: string): void {
  const run = process.env['POSTGRES_DATA']
  const kept = run && join(run, 'data')
  if (kept && existsSync(kept)) {
    copyData(kept, data)
    return
  }
  const words = ['-U', 'keeper', '--auth-local=trust', '--auth-host=scram-sha-256', '-E', 'UTF8', '-N']
  place.run('initdb', '-D', data, ...words)
  // One line is one command of a server without connections.
  const input = `create role app login password '${PASSWORD}'\ncreate database satchel owner app\n`
  const server = join(place.bin, 'postgres')
  execFileSync(server, ['--single', '-D', data, 'postgres'], { ...place.options, input, stdio: 'pipe' })
  if (kept) keepData(data, kept)
}

/** Tests run at the same time: only a whole copy has the name, and the first one stays. Another user cannot write there. */
function keepData(data: string, kept: string): void {
  const own = `${kept}.${process.pid}`
  try {
    copyData(data, own)
    renameSync(own, kept)
  } catch {
    rmSync(own, { recursive: true, force: true })
  }
}

function copyData(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]) // with its owner, and without a flush
}

/** A copy of the server at this port, which follows it. */
async function startStandby(t: TestContext, place: Place, port: number): Promise<Standby> {
  const copy = join(place.folder, `standby-${readdirSync(place.folder).length}`)
  const at = ['-h', place.folder, '-p', String(port), '-U', 'keeper']
  place.run('pg_basebackup', ...at, '-D', copy, '-R', '-X', 'stream', '-c', 'fast')
  const standby = await openServer(t, place, copy)
  await standby.start()
  return {
    ...standby,
    startStandby: () => startStandby(t, place, standby.port),
    promote: () => void standby.sql('select pg_promote()', 'postgres'),
  }
}

function newPlace(t: TestContext, bin: string): Place {
  // Not the configured temporary folder: a path of over 100 bytes is not a socket, and another user must reach it.
  const folder = mkdtempSync('/tmp/satchel-pg-')
  const as = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
  if ('uid' in as) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
  chmodSync(folder, 0o700)
  const options = { ...as, cwd: '/', env: { PATH: bin, LC_ALL: 'C.UTF-8' } }
  const kills: Place['kills'] = []
  t.after(async () => {
    for (const kill of kills) await kill()
    rmSync(folder, { recursive: true, force: true }) // no server writes there any more
  })
  return {
    kills,
    bin,
    folder,
    options,
    run: (program, ...args) =>
      execFileSync(join(bin, program), args, {
        ...options,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  }
}

/** A process that ended of itself meanwhile needs no signal. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/** None where it has ended, or where the system does not tell. */
function childrenOf(pid: number): readonly number[] {
  const list = `/proc/${pid}/task/${pid}/children`
  return existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number) : []
}

/** The server of a data folder, not started yet; it is killed after the test. */
async function openServer(t: TestContext, { bin, folder, options, run, kills }: Place, data: string) {
  const port = await freePort()
  let server: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
    const children = childrenOf(server.pid)
    await killed(server)
    // One that waits for a lock of its dead siblings would never end, and keep the test's process waiting.
    for (const child of children) signal(child, 'SIGKILL')
    while (children.some((child) => systemProcesses.isRunning(child))) await wait(5)
    server.stderr?.destroy()
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
      const ready = new Promise<boolean>((resolve) => {
        started.stderr.setEncoding('utf8').on('data', (text: string) => {
          told = `${told}${text}`.slice(-2000)
          if (/ready to accept/.test(told)) resolve(true)
        })
        started.once('exit', () => resolve(false))
      })
      server = started
      if (await ready) return
      assert.ok(Date.now() < deadline, `PostgreSQL did not start: ${told}`)
      await wait(50)
    }
  }
  const pause = (): { resume(): void } => {
    const pid = server?.pid ?? assert.fail('it does not run')
    signal(pid, 'SIGSTOP') // first, so that it starts no more of them
    const children = childrenOf(pid)
    for (const child of children) signal(child, 'SIGSTOP')
    let isOver = false
    const resume = (): void => {
      if (!isOver) for (const each of [...children, pid]) signal(each, 'SIGCONT')
      isOver = true
    }
    t.after(resume)
    return { resume }
  }
  kills.push(kill)
  const sql = (text: string, database = 'satchel'): string => {
    const at = ['-h', folder, '-p', String(port), '-U', 'keeper', '-d', database]
    return run('psql', ...at, '-v', 'ON_ERROR_STOP=1', '-XAtc', text).trim()
  }
  const urlOf = (database: string) => `postgres://app:${PASSWORD}@127.0.0.1:${port}/${database}`
  const until: PostgresServer['until'] = async (condition, { database = 'satchel', isOver } = {}) => {
    const { default: pg } = await import('pg')
    const client = new pg.Client({
      connectionString: urlOf(database),
      application_name: 'until',
      connectionTimeoutMillis: 60_000,
      keepAlive: true,
    })
    await client.connect()
    const count = `select from (select) one where ${condition}`
    const isSo = async () => isOver?.() || [await client.query(count)].flat()[0]?.rowCount === 1
    await untilTrue(isSo, condition).finally(() => client.end())
  }
  return { port, url: urlOf('satchel'), urlOf, sql, until, kill, start, pause }
}
