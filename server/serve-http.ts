import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Settings } from './cli/global-flags.ts'
import type { ServeOptions, World } from './cli/world.ts'
import type { Config, Env } from './config.ts'
import { type NextChange, watchConfig } from './config-changes.ts'
import type { Listener, OpenListener } from './contract/advanced/route.ts'
import type { Log } from './contract/context.ts'
import type { RunningHost } from './host.ts'
import type { HttpOptions } from './http/exchange.ts'
import { knownCallers } from './known-callers.ts'
import { type LocalProof, localProof, newToken } from './local-token.ts'
import { compileAtFirstCall } from './platform/early-code.ts'
import { watchLoopDelay } from './platform/loop-delay.ts'
import { openableAddress } from './platform/openable-address.ts'
import { stopWithin } from './stop-within.ts'

/** Time for calls in flight at the stop (architecture, section 7). */
const GRACE_MS = 5_000
const GRACE_AFTER_SIGTERM_MS = 1_000

/** The parts of one server that `run.ts` wires. */
export interface HttpWiring {
  readonly log: Log
  readonly env: Env
  now(): Date
  readConfig(flags: Settings): Promise<Config>
  /** Sets up and starts a host; rejects as its plugins do. */
  boot(config: Config, http: Partial<HttpOptions>): Promise<RunningHost>
  httpOptions(
    host: RunningHost,
    config: Config,
    more: Partial<HttpOptions>,
    surface: ServeOptions['surface'],
  ): Promise<HttpOptions>
  openHttp(host: RunningHost, listener: Listener, options: HttpOptions): Promise<OpenListener>
}

/** Serves until a signal; with `http.reload`, a changed configuration file starts a new host at the same address. */
export async function serveUntilStopped(
  world: World,
  { flags: given, surface }: ServeOptions,
  wiring: HttpWiring,
): Promise<number> {
  const { log } = wiring
  let flags = given
  const read = (): Promise<Config> => wiring.readConfig(flags)
  let config = await read()
  const token = config.http.token ?? newToken()
  if (config.http.token === null) world.terminal.complain(`token for remote callers: ${token}`)
  if (config.http.workers > 1) world.terminal.note('one process serves: http.workers has no effect')
  for (let isFirst = true; ; isFirst = false) {
    const changes = watchConfig(config, world.signal)
    const proof = await localProof(config.http.local_proof, wiring.env, log)
    const round = await openRound(world, wiring, { config, token, proof, surface })
    if (isFirst) {
      announce(world, round.listeners)
      compileAtFirstCall()
    }
    const [own] = round.listeners
    if (config.http.port === 0 && own) flags = { ...flags, 'http.port': Number(new URL(own.address).port) }
    const next = await nextConfig(changes, read, log)
    await drain(world, config.http.drain_s * 1000)
    await round.close()
    if (next === undefined) return world.stoppedBy() === 'SIGINT' ? 130 : 0
    config = next
    log.info('the configuration changed: started again', { file: config.file })
  }
}

/** Serves on after SIGTERM while `/ready` is refused: a balancer sends nothing more before the listeners close. */
async function drain(world: World, ms: number): Promise<void> {
  if (ms === 0 || world.stoppedBy() !== 'SIGTERM') return
  world.extendStop(ms)
  await pause(ms)
}

interface RoundParts {
  readonly config: Config
  readonly token: string
  readonly proof: LocalProof
  readonly surface: ServeOptions['surface']
}

/** One host and its listeners. */
async function openRound(world: World, wiring: HttpWiring, { config, token, proof, surface }: RoundParts) {
  const loopDelay = watchLoopDelay()
  const metrics = config.http.metrics ? (await import('./metrics.ts')).createMetrics() : undefined
  let running: RunningHost | undefined
  const callers = knownCallers({
    env: wiring.env,
    now: wiring.now,
    oauth: config.http.oauth ?? undefined,
    database: async () => (await boot).database,
    onEnded: (principalId) => running?.hub.emit({ kind: 'caller', principalId }),
  })
  const http = {
    token,
    recognize: callers.recognize,
    metrics,
    ...proof,
    loopDelay: loopDelay.read,
    isDraining: () => world.stoppedBy() !== undefined,
    get graceMs() {
      const isHasty = world.stoppedBy() === 'SIGTERM' || world.stoppedBy() === 'SIGHUP'
      return isHasty ? GRACE_AFTER_SIGTERM_MS : GRACE_MS
    },
  }
  const listeners: OpenListener[] = []
  const boot = wiring.boot(config, http)
  const close = async (): Promise<void> => {
    for (const listener of listeners.reverse()) await listener.close()
    await stopWithin(boot, wiring.log)
    loopDelay.stop()
    await callers.close()
  }
  const host = await boot
  running = host
  try {
    const options = await wiring.httpOptions(host, config, http, surface)
    for (const listener of listenersOf(host, config, surface)) {
      listeners.push(await host.served(await wiring.openHttp(host, listener, options)))
    }
    return { listeners: [...listeners], close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** The main listener is the first, so that it is closed last. */
function listenersOf(
  { registry, projectRoot }: RunningHost,
  { http }: Config,
  surface: ServeOptions['surface'],
): readonly Listener[] {
  const { host, port, allowed_hosts: allowedHosts, socket } = http
  const name = surface === 'rest' ? 'api' : 'mcp'
  return [
    { name, at: { host, port }, mcp: true, allowedHosts },
    ...(surface === 'rest' ? registry.listeners : []),
    ...(socket === null ? [] : [{ name, at: { socket: resolve(projectRoot, socket) }, mcp: true }]),
  ]
}

/** Waits for a usable changed configuration; undefined after a signal. An invalid file is logged and ignored. */
async function nextConfig(
  changes: NextChange,
  read: () => Promise<Config>,
  log: Log,
): Promise<Config | undefined> {
  while (await changes()) {
    try {
      return await read()
    } catch (error) {
      log.error('the changed configuration cannot be used; serving with the old one', { error })
    }
  }
  return undefined
}

function announce({ terminal }: World, listeners: readonly OpenListener[]): void {
  const opened = listeners.map(({ name, address }) => ({ name, address: openableAddress(address) }))
  if (terminal.json) terminal.write(`${JSON.stringify({ listeners: opened })}\n`)
  for (const { name, address } of opened) terminal.note(`${name}: ${address}`)
}
