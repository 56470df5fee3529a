import type { z } from 'zod'
import type { Config } from '../config.ts'
import type { Log } from '../contract/context.ts'
import type { RunningHost } from '../host.ts'
import type { Wanted } from '../plugin-entries.ts'
import type { PluginEntry } from '../plugin-entry.ts'
import type { CommandLine } from './command-line.ts'
import type { Settings } from './global-flags.ts'
import type { Io, StopSignal } from './io.ts'
import type { OpenTerminal } from './terminal.ts'
import type { VerbShape } from './verb-parser.ts'

/** The texts that a model reads of a server before its first call. */
export interface ListedCatalog {
  readonly tools: readonly Readonly<Record<string, unknown>>[]
  readonly prompts: readonly Readonly<Record<string, unknown>>[]
  readonly instructions: string
}

/** Operations that only `run.ts` provides: open the host and start the other doors. */
export interface Doors {
  loadConfig(line: CommandLine, flags?: Settings): Promise<Config>
  /** Sets up the plugins (declarations only) without starting them. The caller stops the host. */
  setUpHost(wanted: Wanted, config: Config, line: CommandLine): Promise<RunningHost>
  /** Sets up and starts the plugins. The caller stops the host. */
  openHost(wanted: Wanted, config: Config, line: CommandLine): Promise<RunningHost>
  findProjectRoot(line: CommandLine): Promise<string>
  now(): Date
  log(): Log
  /** Serves MCP on standard input and output until the client closes its end; returns the exit code. */
  serveStdio(world: World, flags: Settings): Promise<number>
  /** Serves HTTP until a signal: REST and `/mcp`, or one MCP transport alone. */
  serveHttp(world: World, options: ServeOptions): Promise<number>
  /** A host of these plugins alone, with every tool offered; set up and started. The caller stops it. */
  hostOf(entries: readonly PluginEntry[], projectRoot: string): Promise<RunningHost>
  /** Who has a verb that a plugin of others would declare; undefined: it is free. */
  ownerOfVerb(verb: string): Promise<string | undefined>
  /** What MCP lists under the host's filter. */
  catalog(host: RunningHost): Promise<ListedCatalog>
}

export interface ServeOptions {
  readonly flags: Settings
  readonly defaults?: Settings
  readonly surface: 'rest' | 'streamable-http' | 'sse'
}

/** One run of the command line. Owned by `runProgram`. */
export interface World {
  readonly io: Io
  readonly line: CommandLine
  readonly terminal: OpenTerminal
  /** Aborts on a signal or when stdout is closed. */
  readonly signal: AbortSignal
  /** The signal that stopped the run, if any. */
  stoppedBy(): StopSignal | undefined
  /** Gives the stop that a signal began so much more time before the process ends anyway. */
  extendStop(ms: number): void
  readonly doors: Doors
  /** The host's own verbs, loaded. */
  hostVerbs(): Promise<readonly HostVerb[]>
}

/** A verb of the host itself. */
export interface HostVerb<I extends z.ZodObject = z.ZodObject> extends Omit<VerbShape, 'input'> {
  readonly input: I
  /** Returns the exit code. Errors: a `SatchelError`. */
  run(world: World, input: z.output<I>): Promise<number>
}

/** The part of a host verb that `--help` shows without loading it. */
export interface HostVerbRow {
  /** Its first word; with a second one it is below the verbs of a plugin. */
  readonly verb: string
  readonly summary: string
  /** Plugins may add commands below it: `bench mine`. */
  readonly takesPluginCommands?: true
  /** Runs the verb without arguments, bypassing the parser, because every client waits for `satchel mcp` to start. */
  readonly bare?: (world: World) => Promise<number>
  load(): Promise<readonly HostVerb[]>
}
