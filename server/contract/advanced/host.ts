import type { Command } from './command.ts'
import type { Credentials, Principal } from './principal.ts'
import type { RemoteMcp } from './remote.ts'
import type { Listener, OpenListener, Route } from './route.ts'
import type { Stream } from './stream.ts'
import type { Tasks } from './task.ts'

/** The rarer members of a `Host`. */
export interface HostServices {
  /** Absolute: where this process was started. */
  readonly workingDirectory: string
  /** Absolute path of the configuration file, if one was read. */
  readonly configFile: string | undefined
  /** First word of the command line, where this process runs one verb of one plugin; undefined where it serves. */
  readonly verb?: string
  taskChanged(taskId: string, owners: readonly string[]): void
  /** A principal of this plugin lost its rights: its open streams end now instead of at their next heartbeat. */
  callerEnded(principalId: string): void
  /** The absolute path of a packaged file: `assetPath('sql-wasm.wasm')`. */
  assetPath(name: string): string
  /** Serves every route, stream and tool that names this listener, until closed or the host stops. */
  openListener(listener: Listener): Promise<OpenListener>
}

/** The rarer members of a `PluginInstance`. */
export interface ProtocolDeclarations {
  readonly streams?: readonly Stream[]
  readonly commands?: readonly Command[]
  readonly routes?: readonly Route[]
  /** Opened by `serve` beside its own. */
  readonly listeners?: readonly Listener[]
  readonly tasks?: Tasks
  /** Over stdio only. */
  readonly remote?: RemoteMcp
  /** One sentence on how a caller gets a session; added to the refusal of a caller who has none. */
  readonly howToJoin?: string
  /** Knows its own credentials only; undefined for all others. */
  authenticate?(credentials: Credentials): Promise<Principal | undefined>
  /** The host's own listener is open: `api` under `serve`, `mcp` under `mcp --transport`; closed by the host. */
  served?(listener: OpenListener): Promise<void>
}
