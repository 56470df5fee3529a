import type { z } from 'zod'
import type { Command } from './command.ts'
import type { Credentials, Log, Principal } from './context.ts'
import type { NextStep } from './errors.ts'
import type { Prompt } from './prompt.ts'
import type { RemoteMcp } from './remote.ts'
import type { Resource } from './resource.ts'
import type { Listener, OpenListener, Route } from './route.ts'
import type { Stream } from './stream.ts'
import type { Tasks } from './task.ts'
import type { Tool } from './tool.ts'

/** What the host lends to a plugin. */
export interface Host {
  readonly log: Log
  /** Aborts when the host stops. */
  readonly signal: AbortSignal
  /** Absolute; `--project`, `SATCHEL_PROJECT`, `CLAUDE_PROJECT_DIR`, the git root, the working directory. */
  readonly projectRoot: string
  /** Absolute: where this process was started. */
  readonly workingDirectory: string
  /** Absolute path of the configuration file, if one was read. */
  readonly configFile: string | undefined
  /** A copy of the process environment, for children and for the names a plugin documents. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** First word of the command line, where this process runs one verb of one plugin; undefined where it serves. */
  readonly verb?: string
  now(): Date
  /** A hint, sent after the change is durable: no body, no history, cannot fail. */
  resourceChanged(uri: string): void
  taskChanged(taskId: string, owners: readonly string[]): void
  /** A principal this plugin made has no rights any more: its open streams end at once instead of at their next heartbeat. */
  callerEnded(principalId: string): void
  /** The absolute path of a packaged file: `assetPath('sql-wasm.wasm')`. */
  assetPath(name: string): string
  /** Serves every route, stream and tool that names this listener, until closed or the host stops. */
  openListener(listener: Listener): Promise<OpenListener>
}

/** What `doctor` says of one thing it looked at. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem'
  readonly subject: string
  readonly detail: string
  readonly next?: NextStep
}

/** Everything a plugin lends to the host. Absent means none. */
export interface PluginInstance {
  readonly tools?: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly prompts?: readonly Prompt[]
  readonly streams?: readonly Stream[]
  readonly commands?: readonly Command[]
  readonly routes?: readonly Route[]
  /** Opened by `serve` beside its own. */
  readonly listeners?: readonly Listener[]
  readonly tasks?: Tasks
  /** Over stdio only. */
  readonly remote?: RemoteMcp
  /** Knows its own credentials only; undefined for all others. */
  authenticate?(credentials: Credentials): Promise<Principal | undefined>
  /** Reads only; works on a broken store. */
  doctor?(signal: AbortSignal): Promise<readonly Finding[]>
  start?(): Promise<void>
  /** The host's own listener answers from now on: `api` under `serve`, `mcp` under `mcp --transport`; closed by the host. */
  served?(listener: OpenListener): Promise<void>
  stop?(): Promise<void>
}

/**
 * A plugin: a name, its configuration and a `setup` that builds declarations. `setup` does no I/O:
 * stores open at the first call, because clients start servers twice and kill one.
 */
export interface Plugin<C extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly version: string
  readonly apiVersion: 1
  readonly config: C
  /** Environment name -> configuration key of this plugin, dotted. */
  readonly env?: Readonly<Record<string, string>>
  setup(host: Host, config: z.output<C>): Promise<PluginInstance>
}

/** The identity, for inference. */
export function definePlugin<C extends z.ZodObject>(plugin: Plugin<C>): Plugin<C> {
  return plugin
}
