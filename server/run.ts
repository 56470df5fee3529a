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

/** One-shot verbs say only what matters; servers say what they do. */
const VERB_LOG_LEVEL: LogLevel = 'warning'

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
  const logAt = (level: LogLevel): Log =>
    createLog(
      level,
      (line) => io.stderr.write(line),
      () => new Date(),
    )
  return {
    loadConfig: (line, flags, defaults) => readConfig(io, line, flags, defaults),
    log: () => logAt(verbLogLevel(io)),
    setUpHost: (wanted, config, line) =>
      setUpHost(io, { wanted, config, line, log: logAt(verbLogLevel(io)) }),
    openHost: (wanted, config, line) => openHost(io, { wanted, config, line, log: logAt(verbLogLevel(io)) }),
    findProjectRoot: (line) => projectRootOf(io, line),
    serveStdio: () => Promise.reject(notBuilt()),
    serveHttp: () => Promise.reject(notBuilt()),
    prices: () => Promise.reject(notBuilt()),
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

function verbLogLevel({ env }: Io): LogLevel {
  return LOG_LEVELS.find((level) => level === env['SERVER_LOG_LEVEL']) ?? VERB_LOG_LEVEL
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
