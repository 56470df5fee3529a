import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from './harness/index.ts'
import { skipWithout } from './harness/skip-without.ts'
import { ordinaryUserOf } from './ordinary-user.ts'

/** Addresses of the server's machine and of the one that calls it. */
export const SERVER_ADDRESS = '192.0.2.1'
const CALLER_ADDRESS = '192.0.2.2'
const SERVER_PORT = 8000
/** The two machines reach each other and nothing else, so their programs need no block of foreign addresses. */
const UNBLOCKED = ['env', '-u', 'NODE_OPTIONS']
const PATIENCE_MS = 180_000 // a bound for what hangs, not for a slow machine

/** One request as plain data, and what came back. */
export interface Asked {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends a stream at this text. */
  readonly until?: string
  /** Milliseconds after the answers to all requests without it have begun: a stream must be open before what it reports. */
  readonly after?: number
}
export interface Answered {
  readonly status: number
  readonly text: string
}

export interface Network {
  readonly folder: string
  /** Makes requests together from another machine. */
  ask(...asked: readonly Asked[]): Promise<readonly Answered[]>
  /** Makes requests as user `uid` of the server's machine. */
  askHere(uid: number, ...asked: readonly Asked[]): Promise<readonly Answered[]>
  /** Starts a program on the server's machine as a user of its own, until it listens at `port`. */
  startProxy(user: string, port: number, command: readonly string[]): Promise<void>
  write(name: string, text: string): string
}

/** What these tests need and this machine lacks; undefined if they can run. */
export function missingForProxies(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'root on Linux'
  const missing = ['nginx', 'haproxy', 'caddy', 'ip'].filter((name) => programPath(name) === undefined)
  if (missing.length > 0) return missing.join(', ')
  return spawnSync('unshare', ['--net', 'true']).status === 0 ? undefined : 'network namespaces'
}

export function programPath(name: string): string | undefined {
  return ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].map((folder) => join(folder, name)).find(existsSync)
}

/** The path of haproxy; undefined where it is not installed, said loudly. `REQUIRE_PROXIES=1` makes that a failure. */
export function installedHaproxy(t: TestContext): string | undefined {
  const program = programPath('haproxy')
  if (program !== undefined) return program
  skipWithout(t, 'REQUIRE_PROXIES', 'haproxy is not installed (apt-get install haproxy)')
  return undefined
}

/** Two machines that are joined by a cable; the first runs satchel as an ordinary user. `token`: its token. */
export async function openNetwork(t: TestContext, args: readonly string[], token: string): Promise<Network> {
  const folder = await temporaryFolder(t, 'satchel-proxies-')
  const project = join(folder, 'project')
  mkdirSync(project)
  const user = await ordinaryUserOf(t, project)
  chmodSync(folder, 0o755)
  const server = await machine(t)
  const caller = await machine(t)
  const cable = [
    'link',
    'add',
    'v0',
    'netns',
    String(server),
    'type',
    'veth',
    'peer',
    'v1',
    'netns',
    String(caller),
  ]
  run('ip', cable)
  for (const [pid, device, address] of [
    [server, 'v0', SERVER_ADDRESS],
    [caller, 'v1', CALLER_ADDRESS],
  ] as const) {
    run('nsenter', [...inside(pid), 'ip', 'addr', 'add', `${address}/24`, 'dev', device])
    run('nsenter', [...inside(pid), 'ip', 'link', 'set', device, 'up'])
  }
  const [node, satchel] = user.program
  const asUser = (name: string | number): string[] => [
    'setpriv',
    `--reuid=${name}`,
    `--regid=${name}`,
    '--clear-groups',
  ]
  const start = (
    pid: number,
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcess => {
    const child = spawn('nsenter', [...inside(pid), ...UNBLOCKED, ...words], {
      cwd: project,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: String(process.env['PATH']), HOME: project, ...env },
    })
    t.after(() => end(child))
    return child
  }
  const serve = [...asUser(65534), node, satchel, 'serve', '--port', String(SERVER_PORT), '--quiet', ...args]
  start(server, serve, { SATCHEL_TOKEN: token }).stdout?.resume()
  const asker = join(import.meta.dirname, 'fixtures/asker.mjs')
  const own = join(folder, 'asker.mjs')
  writeFileSync(own, readFileSync(asker))
  const network: Network = {
    folder,
    ask: (...asked) => answersOf(start(caller, [node, own]), asked),
    askHere: (uid, ...asked) => answersOf(start(server, [...asUser(uid), node, own]), asked),
    async startProxy(name, port, command) {
      start(server, [...asUser(name), ...command]).stdout?.resume()
      await listensAt(network, port)
    },
    write(name, text) {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
  }
  await listensAt(network, SERVER_PORT)
  return network
}

/** A network namespace with loopback, kept by a process that the test ends. */
async function machine(t: TestContext): Promise<number> {
  const keeper = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo up && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => end(keeper))
  await once(keeper.stdout, 'data')
  return Number(keeper.pid)
}

/** Time that a program has to end by itself. */
const ENDS_WITHIN_MS = 10_000

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    // A master that is killed leaves its workers, which hold this process's pipes.
    child.kill('SIGTERM')
    const killing = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS)
    await exited
    clearTimeout(killing)
  }
  child.stdout?.destroy()
}

function inside(pid: number): string[] {
  return [`--net=/proc/${pid}/ns/net`]
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

async function answersOf(child: ChildProcess, asked: readonly Asked[]): Promise<readonly Answered[]> {
  child.stdin?.end(JSON.stringify(asked))
  if (!child.stdout) throw new TypeError('stdout is a pipe')
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  throw new Error(`no answer to ${asked[0]?.url}`)
}

async function listensAt({ askHere }: Network, port: number): Promise<void> {
  const patience = performance.now() + PATIENCE_MS
  for (;;) {
    const [answer] = await askHere(0, { url: `http://127.0.0.1:${port}/` })
    if (answer && answer.status > 0) return
    if (performance.now() > patience) throw new Error(`nothing listens at ${port}`)
    await sleep(50)
  }
}
