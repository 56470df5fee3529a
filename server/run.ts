import { assetPath } from './assets.ts'
import type { CommandLine } from './cli/command-line.ts'
import type { Io, StopSignal } from './cli/io.ts'
import type { Doors, Settings } from './cli/world.ts'
import type { Config } from './config.ts'
import type { Log } from './contract/context.ts'
import { SatchelError } from './contract/errors.ts'
import type { RunningHost } from './host.ts'
import { createLog, LOG_LEVELS, type LogLevel } from './log.ts'
import type { Wanted } from './plugin-entries.ts'
import type { ProcessIo } from './process-io.ts'
import type { ToolPrice } from './tool-prices.ts'
import { VERSION } from './version.ts'

/** One-shot verbs say only what matters; servers say what they do. */
const VERB_LOG_LEVEL: LogLevel = 'warning'
/** How long plugins may take to stop before the process ends without them. */
const STOP_LIMIT_MS = 2_000

/**
 * Runs a command line (without node and script) to its exit code: configuration -> host -> door. The only file that
 * wires doors together. What is not in `io` is the process's own. Errors: none.
 */
export async function run(argv: readonly string[], io: ProcessIo & Partial<Io>): Promise<number> {
  const whole: Io = {
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onSignal: onProcessSignal,
    ...io,
  }
  const { runProgram } = await import('./cli/program.ts')
  return runProgram(argv, whole, doorsFor(whole))
}

function doorsFor(io: Io): Doors {
  return {
    loadConfig: (line, flags, defaults) => readConfig(io, line, flags, defaults),
    log: () => logAt(io, verbLogLevel(io)),
    setUpHost: (wanted, config, line) =>
      setUpHost(io, { wanted, config, line, log: logAt(io, verbLogLevel(io)) }),
    openHost: (wanted, config, line) =>
      openHost(io, { wanted, config, line, log: logAt(io, verbLogLevel(io)) }),
    findProjectRoot: (line) => projectRootOf(io, line),
    serveStdio: (world, flags) => serveStdio(io, world.line, flags),
    serveHttp: () => Promise.reject(notBuilt()),
    prices: pricesOf,
  }
}

async function readConfig(
  io: Io,
  line: CommandLine,
  flags: Settings = {},
  defaults: Settings = {},
): Promise<Config> {
  const { loadConfig } = await import('./config.ts')
  const file = line.config
  return loadConfig({ cwd: io.cwd, env: io.env, flags, defaults, ...(file !== undefined && { file }) })
}

interface HostRequest {
  readonly wanted: Wanted
  readonly config: Config
  readonly line: CommandLine
  readonly log: Log
}

/** Sets up the wanted plugins and starts them; a failed start stops what was started. */
async function openHost(io: Io, request: HostRequest): Promise<RunningHost> {
  const host = await setUpHost(io, request)
  try {
    await host.start()
    return host
  } catch (thrown) {
    await host.stop()
    throw thrown
  }
}

async function setUpHost(io: Io, { wanted, config, line, log }: HostRequest): Promise<RunningHost> {
  const [{ createHost }, { loadEntries }] = await Promise.all([
    import('./host.ts'),
    import('./plugin-entries.ts'),
  ])
  const { profile, read_only: readOnly, include, exclude } = config.tools
  return createHost(await loadEntries(config, wanted), {
    log,
    now: () => new Date(),
    projectRoot: await projectRootOf(io, line),
    configFile: config.file,
    env: io.env,
    filter: { profile, readOnly, include, exclude },
    assetPath,
    openListener: () => Promise.reject(notBuilt()),
  })
}

async function projectRootOf(io: Io, line: CommandLine): Promise<string> {
  const { findProjectRoot } = await import('./project-root.ts')
  return findProjectRoot({ flag: line.project, env: io.env, cwd: io.cwd })
}

/** Answers `initialize` and `server/discover` while the plugins are still being set up (mcp, section 3). */
async function serveStdio(io: Io, line: CommandLine, flags: Settings): Promise<number> {
  const { serveStdio: serve } = await import('./mcp/stdio.ts')
  const log = serverLog(io)
  const boot = bootServer(io, line, log, flags)
  try {
    return await serve({
      io,
      boot,
      log,
      version: VERSION,
      resolvePath: async (path) => {
        const { unconfined } = await import('./paths.ts')
        return unconfined((await boot).projectRoot)(path)
      },
    })
  } finally {
    await stopWithin(boot, log)
  }
}

async function bootServer(
  io: Io,
  line: CommandLine,
  log: ServerLog,
  flags: Settings,
  defaults?: Settings,
): Promise<RunningHost> {
  const config = await readConfig(io, line, flags, defaults)
  log.setLevel(config.http.log_level)
  return openHost(io, { wanted: { kind: 'all' }, config, line, log })
}

/** Stops the host, but a plugin that hangs in `stop` does not keep the process. A boot that failed stopped itself. */
async function stopWithin(boot: Promise<RunningHost>, log: Log): Promise<void> {
  const stopped = boot.then(
    (host) => host.stop(),
    () => undefined,
  )
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log.error('a plugin did not stop in time', { limit_ms: STOP_LIMIT_MS })
      resolve()
    }, STOP_LIMIT_MS)
  })
  await Promise.race([stopped, late])
  clearTimeout(timer)
}

async function pricesOf(host: RunningHost): Promise<readonly ToolPrice[]> {
  const [{ createCatalog }, { priceOf }] = await Promise.all([
    import('./mcp/descriptors.ts'),
    import('./tool-prices.ts'),
  ])
  return createCatalog(host).modernTools.map(priceOf)
}

/** A server's log: its level is known only once the configuration was read. */
interface ServerLog extends Log {
  setLevel(level: LogLevel): void
}

function serverLog(io: Io): ServerLog {
  let log = logAt(io, envLogLevel(io) ?? 'info')
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
    setLevel(level) {
      log = logAt(io, level)
    },
  }
}

function logAt(io: Io, level: LogLevel): Log {
  return createLog(
    level,
    (line) => io.stderr.write(line),
    () => new Date(),
  )
}

function verbLogLevel(io: Io): LogLevel {
  return envLogLevel(io) ?? VERB_LOG_LEVEL
}

function envLogLevel({ env }: Io): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === env['SERVER_LOG_LEVEL'])
}

function onProcessSignal(listener: (signal: StopSignal) => void): () => void {
  const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const each = signals.map((signal) => [signal, () => listener(signal)] as const)
  for (const [signal, handler] of each) process.on(signal, handler)
  return () => {
    for (const [signal, handler] of each) process.off(signal, handler)
  }
}

function notBuilt(): SatchelError {
  return new SatchelError('unavailable', 'door_missing', 'This build has no such door.')
}
