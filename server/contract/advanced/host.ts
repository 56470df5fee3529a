import type { CallContext } from '../context.ts'
import type { RefusalRow } from '../refusals.ts'
import type { BackupStore } from './backup.ts'
import type { Command } from './command.ts'
import type { Database, DatabaseStore } from './database.ts'
import type { EvidenceKind, EvidenceKinds } from './evidence.ts'
import type { Measurement } from './measurement.ts'
import type { Credentials, Principal } from './principal.ts'
import type { RemoteMcp } from './remote.ts'
import type { Listener, OpenListener, Route } from './route.ts'
import type { FoundGroup, Searcher } from './searcher.ts'
import type { Stream } from './stream.ts'
import type { Tasks } from './task.ts'

/** The rarer members of a `Host`. */
export interface HostServices {
  /** Absolute: where this process was started. */
  readonly workingDirectory: string
  /**
   * Absolute: the folder from which the project root was found. Absent: the user named the root, or clients come over HTTP,
   * which are confined to it.
   */
  readonly projectStart?: string
  /** Absolute path of the configuration file, if one was read. */
  readonly configFile: string | undefined
  /** First word of the command line if this process runs one verb of one plugin; undefined in a server. */
  readonly verb?: string
  /** Where `storage.url` is set: what a plugin keeps there it keeps in no file. */
  readonly database?: Database
  /** The kinds of evidence of all plugins. */
  readonly evidence: EvidenceKinds
  /**
   * Calls a tool of any plugin as the user of this process, not as the caller of `ctx`: decide first what the caller may have
   * done. Undefined: no plugin here has the tool. Errors: those of the tool.
   */
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    ctx: CallContext,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  /**
   * What the searchers of all plugins find for the caller of `ctx`, at most `limit` of each kind. Never rejects: a kind that
   * cannot be searched says why.
   */
  find(query: string, limit: number, ctx: CallContext): Promise<readonly FoundGroup[]>
  taskChanged(taskId: string, owners: readonly string[]): void
  /** Ends the open streams of a principal that lost its rights, without waiting for their next heartbeat. */
  callerEnded(principalId: string): void
  /** Aborts before the listeners close: a call that waits for others answers now that nothing happened yet. */
  readonly closing: AbortSignal
  /** Returns the absolute path of a packaged file: `assetPath('sql-wasm.wasm')`. */
  assetPath(name: string): string
  /** Serves every route, stream and tool that names this listener, until the listener closes or the host stops. */
  openListener(listener: Listener): Promise<OpenListener>
}

/** The rarer members of a `PluginInstance`. */
export interface ProtocolDeclarations {
  readonly streams?: readonly Stream[]
  readonly commands?: readonly Command[]
  readonly routes?: readonly Route[]
  /** Opened by `serve` in addition to its own. */
  readonly listeners?: readonly Listener[]
  readonly tasks?: Tasks
  /** Kinds of evidence that claims can rest on and that are checked again later. */
  readonly evidence?: readonly EvidenceKind[]
  /** What `satchel find` asks. */
  readonly searchers?: readonly Searcher[]
  /** What `satchel backup` copies. `saved`: the names of this plugin's stores in a backup that is restored. Reads only. */
  stores?(saved: readonly string[]): Promise<readonly BackupStore[]>
  /** What the plugin keeps in the database where `storage.url` is set; absent: it always keeps files. */
  readonly database?: DatabaseStore
  /** Numbers for `/metrics`, within a second at each request of it. Reads only, and opens nothing. */
  measurements?(): Promise<readonly Measurement[]>
  /** Over stdio only. */
  readonly remote?: RemoteMcp
  /** The table of `defineRefusals`: the API document lists its reasons for each operation of the plugin. */
  readonly refusals?: Readonly<Record<string, { readonly row: RefusalRow }>>
  /** One sentence on how to get a session; appended to the refusal of a caller without one. */
  readonly howToJoin?: string
  /** Returns the principal of this plugin's credentials; undefined for all others. */
  authenticate?(credentials: Credentials): Promise<Principal | undefined>
  /** Called when the host's own listener is open: `api` under `serve`, `mcp` under `mcp --transport`. The host closes it. */
  served?(listener: OpenListener): Promise<void>
}
