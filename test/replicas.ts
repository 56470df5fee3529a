import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './harness/index.ts'
import type { PostgresServer } from './postgres-server.ts'
import { installedHaproxy } from './proxy-network.ts'
import { KEPT_CODE, runSatchel, SATCHEL } from './satchel-process.ts'

export const TOKEN = 'token-of-the-replicas'
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

/** An answer over HTTP; `by` is the replica behind a balancer. */
export interface Answered {
  readonly status: number
  readonly by: string | null
  // biome-ignore lint/suspicious/noExplicitAny: the answers of many tools
  readonly json: any
}

export async function askAt(
  address: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answered> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: HEADERS,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.text()
  const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(answer) : undefined
  return { status: response.status, by: response.headers.get('x-replica'), json }
}

/** A `satchel serve` of a machine of its own, over a shared database. */
export interface Replica {
  readonly name: string
  /** Its folder. */
  readonly project: string
  readonly port: number
  readonly address: string
  pid(): number
  start(): Promise<void>
  /** Ends it in the middle of its work. */
  kill(): Promise<void>
  /** Stops it in order; gives its exit code. */
  stop(): Promise<number | null>
  log(): string
  /** Freezes it, as a machine that hangs. */
  pause(): { resume(): void }
}

/** Where a replica listens: an address of this machine that no other one has, and the port that they then share. */
export interface Place {
  readonly host: string
  readonly port?: number
  /** Announced to the others; absent: where it listens. */
  readonly replicaUrl?: string
  /** A module that its process loads first. */
  readonly preload?: string | undefined
}

/**
 * Prepares a replica with a folder and a home of its own, without a repository. `settings`: more of its configuration. With a
 * place it announces that to the others.
 */
export async function newReplica(
  t: TestContext,
  name: string,
  url: string,
  settings = '',
  place?: Place,
): Promise<Replica> {
  const home = await temporaryFolder(t)
  const project = join(home, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'satchel.yaml'), `handoff: { project: shop }\n${settings}`)
  const port = place?.port ?? (await freePort())
  const host = place?.host ?? '127.0.0.1'
  const replicaUrl = place && (place.replicaUrl ?? `http://${host}:${port}`)
  const [program, ...words] = SATCHEL
  let child: ChildProcess | undefined
  let log = ''
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const ended = once(child, 'close')
    child.kill(signal)
    const [code] = await ended
    return code
  }
  t.after(() => end('SIGKILL'))
  return {
    name,
    project,
    port,
    address: `http://${host}:${port}`,
    pid: () => child?.pid ?? assert.fail('it does not run'),
    async start() {
      const args = ['serve', '--host', host, '--port', String(port), '--json']
      const env = {
        PATH: String(process.env['PATH']),
        HOME: home,
        ...KEPT_CODE,
        SATCHEL_TOKEN: TOKEN,
        SATCHEL_STORAGE_URL: url,
        ...(replicaUrl !== undefined && { SATCHEL_REPLICA_URL: replicaUrl }),
        ...(place?.preload !== undefined && { NODE_OPTIONS: `--import=${pathToFileURL(place.preload)}` }),
      }
      const started = spawn(program, [...words, ...args], {
        cwd: project,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      started.stderr.on('data', (chunk) => {
        log += chunk
      })
      child = started
      const early = once(started, 'close').then(() => assert.fail(`the server ended at its start: ${log}`))
      early.catch(() => undefined) // it ends some time
      await Promise.race([once(started.stdout, 'data'), early])
      started.stdout.resume()
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    log: () => log,
    pause() {
      child?.kill('SIGSTOP')
      return { resume: () => void child?.kill('SIGCONT') }
    },
  }
}

/** haproxy before replicas, in turn, without those whose `/ready` is refused. */
export interface Balancer {
  readonly address: string
  /** `UP`, `DOWN` or `no check`, by the name of the replica. */
  states(): Promise<Readonly<Record<string, string>>>
  /** Resolves when haproxy says so of all these. */
  sees(state: 'UP' | 'DOWN', ...names: readonly string[]): Promise<void>
}

export interface TeamOptions {
  readonly settings?: string
  /** Where they find the database; absent: at the server itself. */
  readonly url?: string
  /** Each gets an address of its own, 127.0.0.2 and on, and announces it; what each of their folders has. */
  readonly files?: Readonly<Record<string, string>>
  /** With `files`: a module that each of them loads first. */
  readonly preload?: string
}

/** Replicas over one migrated database, with haproxy before them; undefined where that is not installed. */
export async function openTeam(
  t: TestContext,
  server: PostgresServer,
  names: readonly string[],
  { settings = '', url = server.url, files, preload }: TeamOptions = {},
) {
  const { code, err } = await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], {
    SATCHEL_STORAGE_URL: server.url,
  })
  assert.equal(code, 0, err)
  const port = await freePort()
  const placeOf = (n: number): Place | undefined => files && { host: `127.0.0.${n + 2}`, port, preload }
  const replicas = await Promise.all(names.map((name, n) => newReplica(t, name, url, settings, placeOf(n))))
  for (const { project } of replicas) {
    for (const [name, content] of Object.entries(files ?? {})) writeFileSync(join(project, name), content)
  }
  await Promise.all(replicas.map((replica) => replica.start()))
  const balancer = await startBalancer(t, replicas)
  await balancer?.sees('UP', ...names)
  return balancer && { replicas, balancer }
}

/** The configuration that docs/storage.md and compose.yaml show, with the addresses of a test. */
function configuration(port: number, socket: string, replicas: readonly Replica[]): string {
  const servers = replicas.map(({ name, address }) => `  server ${name} ${new URL(address).host}`)
  return `
global
  stats socket ${socket}
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 3
  option redispatch 1
  retry-on conn-failure
frontend team
  bind 127.0.0.1:${port}
  default_backend satchel
backend satchel
  balance roundrobin
  http-reuse never
  option httpchk
  http-check send meth GET uri /ready hdr Authorization "Bearer ${TOKEN}"
  http-response set-header X-Replica %s
  default-server check inter 100ms fall 2 rise 1
${servers.join('\n')}
`
}

/** Starts haproxy; undefined where it is not installed, said loudly. `REQUIRE_PROXIES=1` makes that a failure. */
export async function startBalancer(
  t: TestContext,
  replicas: readonly Replica[],
): Promise<Balancer | undefined> {
  const program = installedHaproxy(t)
  if (program === undefined) return undefined
  const folder = await temporaryFolder(t)
  const [port, socket] = [await freePort(), join(folder, 'admin')]
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(port, socket, replicas))
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const states = async (): Promise<Readonly<Record<string, string>>> => {
    const [head = '', ...lines] = (await told(socket, 'show stat')).trim().split('\n')
    const at = head.replace('# ', '').split(',').indexOf('status')
    const rows = lines.map((line) => line.split(',')).filter(([pool]) => pool === 'satchel')
    return Object.fromEntries(rows.map((row) => [row[1] ?? '', row[at] ?? '']))
  }
  while ((await states().catch(() => undefined)) === undefined) {
    assert.equal(child.exitCode, null, log)
    await wait(10)
  }
  return {
    address: `http://127.0.0.1:${port}`,
    states,
    async sees(state, ...names) {
      for (;;) {
        const found = await states()
        if (names.every((name) => found[name]?.startsWith(state))) return
        await wait(20)
      }
    },
  }
}

async function told(socket: string, command: string): Promise<string> {
  const line = connect(socket)
  line.write(`${command}\n`)
  return text(line)
}
