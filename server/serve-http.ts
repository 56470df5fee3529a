import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Settings } from './cli/global-flags.ts'
import type { ServeOptions, World } from './cli/world.ts'
import type { Config, Env } from './config.ts'
import { type NextChange, watchConfig } from './config-changes.ts'
import type { Listener, OpenListener } from './contract/advanced/route.ts'
import type { Log } from './contract/context.ts'
import { isSatchelError } from './contract/errors.ts'
import type { RunningHost } from './host.ts'
import type { HttpOptions } from './http/exchange.ts'
import type { KeptServers } from './http/kept-servers.ts'
import { knownCallers } from './known-callers.ts'
import { type LocalProof, localProof, newToken } from './local-token.ts'
import { compileAtFirstCall } from './platform/early-code.ts'
import { watchLoopDelay } from './platform/loop-delay.ts'
import { openableAddress } from './platform/openable-address.ts'
import { within } from './platform/within.ts'
import { stopWithin } from './stop-within.ts'

/** Time for calls in flight at the stop (architecture, section 7). */
const GRACE_MS = 5_000
const GRACE_AFTER_SIGTERM_MS = 1_000
/** Time for the database to answer at the start, which waits for nothing. */
const DATABASE_LIMIT_MS = 10_000
/** Time to load the plugins of a changed configuration. */
const CHECK_LIMIT_MS = 10_000
/** Time between attempts to open a configuration that served before, whose address another process may hold for a while. */
const REOPEN_MS = 1_000

/** The parts of one server that `run.ts` wires. */
export interface HttpWiring {
  readonly log: Log
  readonly env: Env
  now(): Date
  readConfig(flags: Settings): Promise<Config>
  /** Loads the plugins of a server and parses their settings; sets nothing up. */
  checkPlugins(config: Config): Promise<void>
  /** Sets up and starts a host; rejects as its plugins do. */
  boot(config: Config, http: Partial<HttpOptions>): Promise<RunningHost>
  httpOptions(
    host: RunningHost,
    config: Config,
    more: Partial<HttpOptions>,
    surface: ServeOptions['surface'],
  ): Promise<HttpOptions>
  openHttp(host: RunningHost, listener: Listener, options: HttpOptions): Promise<OpenListener>
  /** The servers that stay open between two hosts; none at first. */
  keptServers(): Promise<KeptServers>
}

/**
 * Serves until a signal; with `http.reload`, a changed configuration file starts a new host at the same address. One that
 * cannot be used never ends the server.
 */
export async function serveUntilStopped(
  world: World,
  { flags: given, surface }: ServeOptions,
  wiring: HttpWiring,
): Promise<number> {
  const { log } = wiring
  let config = await wiring.readConfig(given)
  const tokenOf = tokens(world)
  const kept = await wiring.keptServers()
  const open = async (wanted: Config): Promise<Round> => {
    const token = tokenOf(wanted)
    const proof = await localProof(wanted.http.local_proof, wiring.env, log)
    return openRound(world, wiring, { config: wanted, token, proof, surface, kept })
  }
  tokenOf(config)
  if (config.http.workers > 1) world.terminal.note('one process serves: http.workers has no effect')
  let changes = watchConfig(config, world.signal)
  let round: Round | undefined = await open(config)
  announce(world, round.listeners)
  compileAtFirstCall()
  const [own] = round.listeners
  const port = own && config.http.port === 0 ? Number(new URL(own.address).port) : undefined
  const flags = port === undefined ? given : { ...given, 'http.port': port }
  if (port !== undefined) config = { ...config, http: { ...config.http, port } }
  const read = () => readUsable(wiring, flags)
  while (round) {
    const next = await nextConfig(changes, read, log)
    await drain(world, config.http.drain_s * 1000)
    kept.keepOnly(placesOf(next))
    await round.close()
    if (next === undefined) break
    const opened = await openEither(world, log, { next, old: config, kept }, open)
    round = opened?.round
    config = opened?.config ?? config
    if (!config.http.reload) changes = watchConfig(config, world.signal)
    if (config === next) log.info('the configuration changed: started again', { file: config.file })
  }
  kept.keepOnly([])
  return world.stoppedBy() === 'SIGINT' ? 130 : 0
}

/** The token of a configuration; without one, that of this start, which is told once. */
function tokens({ terminal }: World): (config: Config) => string {
  let made: string | undefined
  return ({ http }) => {
    if (http.token !== null) return http.token
    if (made === undefined) {
      made = newToken()
      terminal.complain(`token for remote callers: ${made}`)
    }
    return made
  }
}

/** Reads the configuration and checks what can be checked while the server runs with another one. */
async function readUsable(wiring: HttpWiring, flags: Settings): Promise<Config> {
  const config = await wiring.readConfig(flags)
  const late = () => new Error(`the plugins are not loaded after ${CHECK_LIMIT_MS / 1000} s`)
  await within(CHECK_LIMIT_MS, late, () => wiring.checkPlugins(config))
  return config
}

/** Opens the next configuration; if it fails, the old one, again and again until a signal. Undefined after a signal. */
async function openEither(
  world: World,
  log: Log,
  { next, old, kept }: { readonly next: Config; readonly old: Config; readonly kept: KeptServers },
  open: (config: Config) => Promise<Round>,
): Promise<{ readonly round: Round; readonly config: Config } | undefined> {
  try {
    return { round: await open(next), config: next }
  } catch (error) {
    log.error('the changed configuration cannot be used; starting again with the old one', { error })
  }
  kept.keepOnly(placesOf(old))
  while (!world.signal.aborted) {
    try {
      return { round: await open(old), config: old }
    } catch (error) {
      log.error('the old configuration cannot be opened; trying again', { error })
      await pause(REOPEN_MS, undefined, { signal: world.signal }).catch(() => {})
    }
  }
  return undefined
}

/** Where the main listener of a configuration is, as `KeptServers` knows it. */
function placesOf(config: Config | undefined): readonly string[] {
  return config ? [`${config.http.host}:${config.http.port}`] : []
}

/** Serves on after SIGTERM while `/ready` is refused: a balancer sends nothing more before the listeners close. */
async function drain(world: World, ms: number): Promise<void> {
  if (ms === 0 || world.stoppedBy() !== 'SIGTERM') return
  world.extendStop(ms)
  await pause(ms)
}

/** One host and its listeners. */
interface Round {
  readonly listeners: readonly OpenListener[]
  close(): Promise<void>
}

interface RoundParts {
  readonly config: Config
  readonly token: string
  readonly proof: LocalProof
  readonly surface: ServeOptions['surface']
  readonly kept: KeptServers
}

async function openRound(
  world: World,
  wiring: HttpWiring,
  { config, token, proof, surface, kept }: RoundParts,
): Promise<Round> {
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
    kept,
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
    running?.beginStop()
    for (const listener of listeners.reverse()) await listener.close()
    await stopWithin(boot, wiring.log)
    loopDelay.stop()
    await callers.close()
  }
  try {
    const host = await boot
    running = host
    host.database?.listen()
    const options = await wiring.httpOptions(host, config, http, surface)
    for (const listener of listenersOf(host, config, surface)) {
      listeners.push(await host.served(await wiring.openHttp(host, listener, options)))
    }
    void warnOfDatabase(host, wiring.log)
    return { listeners: [...listeners], close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** A server starts without its database, which may come later; that it cannot be used is in the log from the start. */
async function warnOfDatabase({ database }: RunningHost, log: Log): Promise<void> {
  try {
    await database?.check(DATABASE_LIMIT_MS)
  } catch (thrown) {
    const { reason, message } = isSatchelError(thrown)
      ? thrown
      : { reason: 'internal', message: 'see /ready' }
    log.warn('the database cannot be used', { reason, problem: message })
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
