import { setImmediate as nextTurn } from 'node:timers/promises'
import { assetPath } from './assets.ts'
import { callObservers } from './call-observers.ts'
import type { CommandLine } from './cli/command-line.ts'
import type { Settings } from './cli/global-flags.ts'
import type { Io } from './cli/io.ts'
import type { Doors, ListedCatalog, ServeOptions, World } from './cli/world.ts'
import type { Config } from './config.ts'
import type { Listener, OpenListener } from './contract/advanced/route.ts'
import type { Log } from './contract/context.ts'
import { firstAnswer } from './first-answer.ts'
import type { RunningHost } from './host.ts'
import type { HttpOptions } from './http/exchange.ts'
import type { Wanted } from './plugin-entries.ts'
import type { PluginEntry } from './plugin-entry.ts'
import { keepLater } from './prepared/keep-later.ts'
import type { ProcessIo } from './process-io.ts'
import { onProcessIdle, onProcessSignal, stopByOwnSignal } from './process-signals.ts'
import { type ServerLog, serverLog, verbLog } from './server-log.ts'
import { stopWithin } from './stop-within.ts'
import { supervised } from './supervise.ts'
import { createTraceSource, type TraceSource } from './trace-source.ts'
import { DESCRIPTION, VERSION } from './version.ts'

/**
 * Runs a command line (without node and script) and returns its exit code: configuration -> host -> door. The only file
 * that wires doors together. Missing members of `io` default to those of the process. Errors: none.
 */
export async function run(argv: readonly string[], io: ProcessIo & Partial<Io>): Promise<number> {
  const whole: Io = {
    stderr: process.stderr,
    env: process.env,
    onSignal: (listener) => onProcessSignal(process.env, listener),
    onIdle: onProcessIdle,
    cwd: process.cwd(),
    ...io,
  }
  const { runProgram } = await import('./cli/program.ts')
  const traces = createTraceSource(whole.env)
  try {
    return await runProgram(argv, whole, doorsFor({ ...whole, traces }, argv))
  } finally {
    await traces.close()
    await nextTurn() // what nothing handled is reported by then
  }
}

/** The process, and where its spans go. */
type Place = Io & { readonly traces: TraceSource }

function doorsFor(io: Place, argv: readonly string[]): Doors {
  const log = verbLog({ ...io, now })
  const setUp = async (wanted: Wanted, config: Config, line: CommandLine): Promise<RunningHost> =>
    supervised(log, undefined, async (note) =>
      createHostOf(io, note(await entriesOf(config, wanted)), {
        config,
        line,
        log,
        ...(wanted.kind === 'verb' && {
          others: async () => note(await entriesOf(config, { kind: 'served' })),
          ...(wanted.words[0] !== undefined && { verb: wanted.words[0] }),
        }),
      }),
    )
  return {
    loadConfig: (line, flags) => readConfig(io, line, flags),
    log: () => log,
    setUpHost: setUp,
    openHost: async (wanted, config, line) => started(await setUp(wanted, config, line)),
    hostOf: async (entries, projectRoot) =>
      started(await createHostOf(io, entries, { config: undefined, projectRoot, log })),
    findProjectRoot: (line) => projectRootOf(io, line),
    now,
    serveStdio: ({ line }, flags) => serveStdio(io, { line, flags, argv }),
    serveHttp: (world, options) => serveHttp(io, world, options),
    ownerOfVerb: async (verb) => (await import('./host-names.ts')).ownerOfVerb(verb),
    catalog: catalogOf,
  }
}

async function readConfig(
  io: Io,
  line: CommandLine,
  flags: Settings = {},
  defaults: Settings = {},
): Promise<Config> {
  const { loadConfig } = await import('./config.ts')
  const { config: file, storage } = line
  const all = storage === undefined ? flags : { 'storage.url': storage, ...flags }
  return loadConfig({ cwd: io.cwd, env: io.env, flags: all, defaults, ...(file !== undefined && { file }) })
}

async function entriesOf(config: Config, wanted: Wanted): Promise<readonly PluginEntry[]> {
  const { loadEntries } = await import('./plugin-entries.ts')
  return loadEntries(config, wanted)
}

async function projectRootOf(io: Io, line: CommandLine): Promise<string> {
  const { findProjectRoot } = await import('./project-root.ts')
  return findProjectRoot({ flag: line.project, env: io.env, cwd: io.cwd })
}

async function projectStartAt(io: Io, line: CommandLine): Promise<string | undefined> {
  const { projectStartOf } = await import('./project-root.ts')
  return projectStartOf({ flag: line.project, env: io.env, cwd: io.cwd })
}

type HostParts = {
  readonly log: Log
  readonly http?: Partial<HttpOptions>
  readonly verb?: string
  readonly others?: () => Promise<readonly PluginEntry[]>
} & (
  | { readonly config: Config; readonly line: CommandLine }
  | { readonly config: undefined; readonly projectRoot: string }
)

const EVERY_TOOL = { profile: 'full', readOnly: false, include: [], exclude: [] } as const

async function createHostOf(
  io: Place,
  entries: readonly PluginEntry[],
  parts: HostParts,
): Promise<RunningHost> {
  const { createHost } = await import('./host.ts')
  const { configuredFilter } = await import('./configured-filter.ts')
  const projectRoot = parts.config ? await projectRootOf(io, parts.line) : parts.projectRoot
  const projectStart = parts.config && !parts.http ? await projectStartAt(io, parts.line) : undefined
  const url = parts.config?.storage.url ?? null
  let options: Promise<HttpOptions> | undefined
  const host: RunningHost = await createHost(entries, {
    log: parts.log,
    projectRoot,
    workingDirectory: io.cwd,
    ...(projectStart !== undefined && { projectStart }),
    configFile: parts.config?.file,
    now,
    env: io.env,
    filter: parts.config ? configuredFilter(parts.config) : EVERY_TOOL,
    ...(parts.config && {
      answers: parts.config.tools,
      callLimitMs: parts.config.tools.call_limit_s * 1000,
      callCpuLimitMs: parts.config.tools.call_cpu_s * 1000,
    }),
    observers: await callObservers({ ...parts, projectRoot, now, database: () => host.database }),
    traces: await io.traces.open(parts.log),
    ...(url !== null && { databaseUrl: url }),
    ...(parts.verb !== undefined && { verb: parts.verb }),
    ...(parts.others && { others: parts.others }),
    takenByHost: async (instance) => (await import('./host-names.ts')).takenByHost(instance),
    assetPath,
    async openListener(host, listener) {
      options ??= httpOptions(host, parts.config, { ...parts.http })
      return openHttp(host, listener, await options)
    },
  })
  return host
}

/** Creates the host and starts its plugins; a failed start stops them. */
async function started(host: RunningHost): Promise<RunningHost> {
  try {
    await host.start()
    return host
  } catch (thrown) {
    await host.stop()
    throw thrown
  }
}

/**
 * Serves MCP on standard input and output. The plugins are set up after the first answer: `initialize` and
 * `server/discover` do not need them, and clients measure the time of these requests (mcp, section 3).
 */
async function serveStdio(
  io: Place,
  { line, flags, argv }: { line: CommandLine; flags: Settings; argv: readonly string[] },
): Promise<number> {
  const log = serverLog({ ...io, now })
  const config = readConfig(io, line, flags)
  const [{ serveStdio: serve }, instructions] = await Promise.all([
    import('./mcp/stdio.ts'),
    instructionsUnder(config),
  ])
  const first = firstAnswer(io.stdout)
  const boot = first.written.then(() => bootServer(io, line, { log, config }))
  const door = {
    boot,
    log,
    version: VERSION,
    instructions,
    // Paths from an agent are confined: a prompt injection is not a command of the user.
    resolvePath: async (path: string) => (await pathsOfCallers(await boot, await config))(path),
  }
  const stopKeeping = keepLater({ argv, env: io.env, cwd: io.cwd }, door)
  try {
    return await serve({ ...door, io: { stdin: io.stdin, stdout: first.stdout, onServing: io.onServing } })
  } finally {
    stopKeeping()
    await stopWithin(boot, log)
  }
}

/** The instructions need no plugin. A configuration that cannot be used is reported by the start of the host. */
async function instructionsUnder(reading: Promise<Config>): Promise<string> {
  const { configuredInstructions, instructionsFor } = await import('./mcp/instructions.ts')
  return reading.then(configuredInstructions, () => instructionsFor(() => false))
}

interface ServerParts {
  readonly log: ServerLog
  readonly config: Promise<Config>
  readonly http?: Partial<HttpOptions>
}

async function bootServer(io: Place, line: CommandLine, parts: ServerParts): Promise<RunningHost> {
  const config = await parts.config
  parts.log.setLevel(config.http.log_level)
  const http = parts.http && { http: parts.http }
  const stop = config.http.on_stray_error === 'stop' ? stopByOwnSignal : undefined
  const host = await supervised(parts.log, stop, async (note) =>
    createHostOf(io, note(await entriesOf(config, { kind: 'served' })), {
      config,
      line,
      log: parts.log,
      ...http,
    }),
  )
  const { unreadConfig } = await import('./unread-config.ts')
  const unread = unreadConfig(config, { projectRoot: host.projectRoot, cwd: io.cwd })
  if (unread !== undefined) parts.log.warn(unread)
  return started(host)
}

async function serveHttp(io: Place, world: World, options: ServeOptions): Promise<number> {
  const { serveUntilStopped } = await import('./serve-http.ts')
  io.onServing?.()
  const log = serverLog({ ...io, now })
  return serveUntilStopped(world, options, {
    log,
    env: io.env,
    now,
    readConfig: (flags) => readConfig(io, world.line, flags, options.defaults),
    async checkPlugins(config) {
      await entriesOf(config, { kind: 'served' })
    },
    boot: (config, http) => bootServer(io, world.line, { log, config: Promise.resolve(config), http }),
    httpOptions,
    openHttp,
    keptServers: async () => (await import('./http/kept-servers.ts')).createKeptServers(),
  })
}

/** Parts of the HTTP door that the listeners of one host share. */
async function httpOptions(
  host: RunningHost,
  config: Config | undefined,
  more: Partial<HttpOptions>,
  surface: ServeOptions['surface'] = 'rest',
): Promise<HttpOptions> {
  const [{ createPump }, { createHttpMount }, { createSseMount }, { hostInstructions }, resolvePath] =
    await Promise.all([
      import('./fanout/pump.ts'),
      import('./mcp/http.ts'),
      import('./mcp/sse-2024.ts'),
      import('./mcp/instructions.ts'),
      pathsOfCallers(host, config),
    ])
  const pump = createPump()
  const instructions = hostInstructions(host)
  const mount = {
    boot: Promise.resolve(host),
    log: host.log,
    version: VERSION,
    instructions,
    resolvePath,
    pump,
  }
  const shared: HttpOptions = {
    version: VERSION,
    description: DESCRIPTION,
    trustProxy: config?.http.trust_proxy ?? [],
    oauth: config?.http.oauth ?? undefined,
    rate: config?.http.rate ?? undefined,
    allowedHosts: config?.http.allowed_hosts ?? [],
    allowedOrigins: config?.http.allowed_origins ?? [],
    resolvePath,
    assetPath,
    pump,
    mcp: surface === 'sse' ? createSseMount(mount) : createHttpMount(mount),
  }
  return Object.defineProperties(shared, Object.getOwnPropertyDescriptors(more)) // keeps `graceMs` a getter
}

/** Resolves a path of an MCP or REST caller inside `http.roots`, or refuses it (surface, section 6). */
async function pathsOfCallers(
  host: RunningHost,
  config: Config | undefined,
): Promise<(path: string) => Promise<string>> {
  const { confineTo } = await import('./platform/paths.ts')
  return confineTo(config?.http.roots ?? ['.'], host.projectRoot)
}

async function openHttp(host: RunningHost, listener: Listener, options: HttpOptions): Promise<OpenListener> {
  const { openListener } = await import('./http/listener.ts')
  return openListener(host, listener, options)
}

async function catalogOf(host: RunningHost): Promise<ListedCatalog> {
  const [{ createCatalog }, { hostInstructions }] = await Promise.all([
    import('./mcp/descriptors.ts'),
    import('./mcp/instructions.ts'),
  ])
  const { modernTools: tools, prompts } = createCatalog(host)
  return { tools, prompts, instructions: hostInstructions(host) }
}

function now(): Date {
  return new Date()
}
