import { ANSWER_DEFAULTS, type AnswerSettings } from './answer/bounds.ts'
import { authorize, type CallAnswer, type CallLimits, call, type OwnedTool } from './call.ts'
import { type CallObserver, observed } from './call-record.ts'
import type { Capability, Credentials, Principal } from './contract/advanced/principal.ts'
import type { Resource } from './contract/advanced/resource.ts'
import type { Listener, OpenListener } from './contract/advanced/route.ts'
import type { CallContext, Log } from './contract/context.ts'
import { isSatchelError } from './contract/errors.ts'
import type { Host, PluginInstance } from './contract/plugin.ts'
import { createHub, type Hub } from './hub.ts'
import { nearest } from './platform/nearest.ts'
import { within } from './platform/within.ts'
import type { PluginEntry } from './plugin-entry.ts'
import { labelledLog } from './plugin-log.ts'
import { servicesOf, setUp, type TakenByHost } from './plugin-services.ts'
import { refusals } from './refusals.ts'
import { type Owned, type Registry, refuseOneNameOfTwo, register } from './registry.ts'
import { createDatabase, type HostDatabase } from './storage/database.ts'
import type { SchemaPart } from './storage/schema.ts'
import { requireOwnTask } from './task-tool.ts'
import { isListed, type ToolFilter } from './tool-filter.ts'
import type { Traces } from './traces.ts'

export interface HostOptions {
  readonly log: Log
  readonly now: () => Date
  readonly projectRoot: string
  /** The base of relative paths in the configuration; absent: the project root. */
  readonly workingDirectory?: string
  /** See `HostServices.projectStart`. */
  readonly projectStart?: string
  readonly configFile: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly filter: ToolFilter
  /** How answers reach models; absent: the defaults. */
  readonly answers?: AnswerSettings
  /** Time for a call of a client; absent: no limit. A person at the command line ends a verb. */
  readonly callLimitMs?: number
  /** The same for the time of the processor. */
  readonly callCpuLimitMs?: number
  /** Are told of each call; absent: none. */
  readonly observers?: readonly CallObserver[]
  /** Where the spans of requests and calls go; absent: nowhere. */
  readonly traces?: Traces | undefined
  /** `storage.url`; absent: the plugins store files. */
  readonly databaseUrl?: string
  /** First word of the command line if the process runs one verb of one plugin. */
  readonly verb?: string
  /** Finds a name of a plugin of others that is not free; absent: none is looked for. */
  readonly takenByHost?: TakenByHost
  /** More plugins, set up when one of `HostServices` first needs what no other plugin has; absent: none. */
  others?(): Promise<readonly PluginEntry[]>
  assetPath(name: string): string
  openListener(host: RunningHost, listener: Listener): Promise<OpenListener>
}

/** A running host. Owned by `run.ts`, which calls `stop` exactly once. */
export interface RunningHost {
  readonly registry: Registry
  readonly hub: Hub
  readonly log: Log
  /** Aborts when the host stops. */
  readonly signal: AbortSignal
  readonly projectRoot: string
  readonly filter: ToolFilter
  readonly answers: AnswerSettings
  /** What a plugin's work for a client may take. */
  readonly limits: CallLimits
  readonly traces: Traces | undefined
  /** The database of `storage.url`; undefined without one. */
  readonly database: HostDatabase | undefined
  now(): Date
  /** Reports whether the MCP door offers this tool under the filter. */
  offers(owned: OwnedTool): boolean
  /** Authenticates with each plugin in turn; undefined if none knows the credentials. */
  authenticate(credentials: Credentials): Promise<Principal | undefined>
  /**
   * Returns the principal of `ctx` for a plugin under `requires`: on stdio and the command line the plugin may map this
   * OS user to a session of its own. The plugin is called only if a capability is required, because it may start a session.
   */
  principalFor(
    owned: { readonly plugin: string; readonly requires: Capability | undefined },
    ctx: Pick<CallContext, 'principal' | 'localTransport' | 'client'>,
  ): Promise<Principal>
  /** Runs a tool with `call`; `next` hints name only tools that this door offers. */
  call(owned: OwnedTool, rawInput: unknown, ctx: CallContext): Promise<CallAnswer>
  /**
   * Runs every plugin's `start`, each within 10 s. Errors: `unavailable`/`plugin_start_timeout`, the refusal of `start`, or
   * `internal`/`plugin_start` for anything else that it throws.
   */
  start(): Promise<void>
  /** Notifies each plugin of a listener that `run.ts` opened and closes; logs failures and skips none. Returns the listener. */
  served(listener: OpenListener): Promise<OpenListener>
  /** Aborts `closing` of the plugins: calls that wait for others answer while the listeners are still open. */
  beginStop(): void
  /** Aborts the signals, closes listeners, stops plugins in reverse order; logs failures and skips none. */
  stop(): Promise<void>
}

const START_LIMIT_MS = 10_000 // architecture, section 7
/** Time for one plugin to stop; the next one follows then. */
const STOP_LIMIT_MS = 5_000
/** Time for a plugin to recognize credentials. */
// Longer than a plugin may wait for another process, such as the owner of a room.
const AUTHENTICATE_LIMIT_MS = 15_000

/**
 * Sets up the plugins in order and registers their declarations; starts nothing.
 * Errors: `conflict`/`name_taken` naming both owners; the error of a `setup`, with the plugin's source in the message.
 * The plugins that are already set up are stopped first.
 */
export async function createHost(
  entries: readonly PluginEntry[],
  options: HostOptions,
): Promise<RunningHost> {
  const closing = new AbortController()
  const stopping = new AbortController()
  const hub = createHub(options.log)
  const open: OpenListener[] = []
  refuseOneNameOfTwo(entries)
  const ready: Owned<'instance', PluginInstance>[] = []

  const database =
    options.databaseUrl === undefined
      ? undefined
      : createDatabase({
          url: options.databaseUrl,
          env: options.env,
          log: options.log,
          now: options.now,
          schema: () => schemaOf(ready),
        })

  let running: RunningHost | undefined
  const pluginHost: Host = hostFor(options, hub, stopping.signal, {
    closing: closing.signal,
    ...servicesOf({
      log: options.log,
      others: options.others,
      signal: stopping.signal,
      ready,
      setUp: (entry) => setUp(entry, pluginHost, options.takenByHost),
      async call(owned, input, ctx) {
        if (!running) throw refusals.too_early()
        return running.call(owned, input, ctx)
      },
    }),
    ...(database && { database }),
    async openListener(listener) {
      if (!running) throw refusals.too_early()
      const opened = await options.openListener(running, listener)
      open.push(opened)
      return opened
    },
  })

  const beginStop = (): void => closing.abort()
  const stop = async (): Promise<void> => {
    beginStop()
    stopping.abort()
    for (const listener of open.reverse())
      await settle(options.log, `close ${listener.name}`, () => listener.close())
    for (const { plugin, instance } of [...ready].reverse()) {
      const late = () => refusals.plugin_stop_timeout({ plugin, seconds: STOP_LIMIT_MS / 1000 })
      await settle(options.log, `stop ${plugin}`, () =>
        within(STOP_LIMIT_MS, late, async () => instance.stop?.()),
      )
    }
    await settle(options.log, 'close the database', async () => database?.close())
  }

  try {
    for (const entry of entries) {
      ready.push({ plugin: entry.plugin.name, instance: await setUp(entry, pluginHost, options.takenByHost) })
    }
    const registry = register(ready)
    // For a verb only its plugin is set up, so tools of other plugins are unknown but may be correct.
    if (options.verb === undefined) warnOfUnknownNames(options, registry)
    running = runningHost(options, { registry, hub, signal: stopping.signal, beginStop, stop, database })
    return running
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

/** The tables of the plugins that are set up. */
function schemaOf(ready: readonly Owned<'instance', PluginInstance>[]): readonly SchemaPart[] {
  return ready.flatMap(({ plugin, instance: { database } }) =>
    database ? [{ owner: plugin, migrations: database.migrations }] : [],
  )
}

function hostFor(
  options: HostOptions,
  hub: Hub,
  signal: AbortSignal,
  services: Pick<Host, 'evidence' | 'callTool' | 'find' | 'closing' | 'openListener' | 'database'>,
): Host {
  return {
    log: options.log,
    signal,
    projectRoot: options.projectRoot,
    workingDirectory: options.workingDirectory ?? options.projectRoot,
    ...(options.projectStart !== undefined && { projectStart: options.projectStart }),
    configFile: options.configFile,
    env: options.env,
    ...(options.verb !== undefined && { verb: options.verb }),
    now: options.now,
    resourceChanged: (uri) => hub.emit({ kind: 'resource', uri }),
    taskChanged: (taskId, owners) => hub.emit({ kind: 'task', taskId, owners }),
    callerEnded: (principalId) => hub.emit({ kind: 'caller', principalId }),
    assetPath: options.assetPath,
    ...services,
  }
}

function runningHost(
  options: HostOptions,
  parts: Pick<RunningHost, 'registry' | 'hub' | 'signal' | 'beginStop' | 'stop' | 'database'>,
): RunningHost {
  const { registry } = parts
  const offers = ({ tool: { name, profile, mcp, annotations } }: OwnedTool): boolean =>
    mcp !== false && isListed({ name, profile, readOnly: annotations.readOnly }, options.filter)
  const visibleAt = (door: CallContext['door']) => (name: string) => {
    const owned = registry.tool(name)
    return owned !== undefined && (door !== 'mcp' || offers(owned))
  }
  const { callLimitMs, callCpuLimitMs } = options
  const limits = {
    ...(callLimitMs !== undefined && { limitMs: callLimitMs }),
    ...(callCpuLimitMs !== undefined && { cpuLimitMs: callCpuLimitMs }),
  }
  return {
    ...parts,
    log: options.log,
    projectRoot: options.projectRoot,
    filter: options.filter,
    now: options.now,
    offers,
    answers: options.answers ?? ANSWER_DEFAULTS,
    limits,
    traces: options.traces,
    async authenticate(credentials) {
      for (const owned of registry.instances) {
        const principal = await sessionFrom(owned, credentials, options.log)
        if (principal) return principal
      }
      return undefined
    },
    principalFor: (owned, ctx) => sessionOf(registry, owned, ctx, options.log),
    async call(owned, rawInput, ctx) {
      const { plugin, tool } = owned
      const principal = await sessionOf(registry, { plugin, requires: tool.requires }, ctx, options.log)
      const known = { ...ctx, principal, log: labelledLog(ctx.log, { plugin, tool: tool.name }) }
      const { observers = [], traces } = options
      return observed({ owned, input: rawInput, ctx: known, observers, traces }, () =>
        call(owned, rawInput, known, {
          visible: visibleAt(ctx.door),
          requireOwnTask: (task) => requireOwnTask(registry, owned, task),
          ...(ctx.door !== 'cli' && limits),
        }),
      )
    },
    async start() {
      for (const { plugin, instance } of registry.instances) await startWithin(plugin, instance)
    },
    async served(listener) {
      for (const { plugin, instance } of registry.instances)
        await settle(options.log, `${plugin} at ${listener.name}`, async () => instance.served?.(listener))
      return listener
    },
  }
}

/**
 * On stdio and the command line a plugin may map this OS user to a session of its own. It is called only if a capability
 * is required, because it may start that session.
 */
async function sessionOf(
  registry: Registry,
  owned: { readonly plugin: string; readonly requires: Capability | undefined },
  ctx: Pick<CallContext, 'principal' | 'localTransport' | 'client'>,
  log: Log,
): Promise<Principal> {
  if (owned.requires === undefined || ctx.localTransport === undefined) return ctx.principal
  const owner = registry.instances.find(({ plugin }) => plugin === owned.plugin)
  const credentials: Credentials = {
    transport: ctx.localTransport,
    ...(ctx.client && { client: ctx.client }),
  }
  return (owner && (await sessionFrom(owner, credentials, log))) ?? ctx.principal
}

/**
 * Asks one plugin for the session of these credentials. A plugin that throws an error of its own knows no session, and
 * one that answers with anything but a session of its own is ignored: only the host makes local callers and operators.
 */
async function sessionFrom(
  { plugin, instance }: Owned<'instance', PluginInstance>,
  credentials: Credentials,
  log: Log,
): Promise<Principal | undefined> {
  const { authenticate } = instance
  if (!authenticate) return undefined
  const late = () => refusals.plugin_authenticate_timeout({ plugin, seconds: AUTHENTICATE_LIMIT_MS / 1000 })
  try {
    const found = await within(AUTHENTICATE_LIMIT_MS, late, async () =>
      authenticate.call(instance, credentials),
    )
    if (found === undefined || (found.kind === 'session' && found.plugin === plugin)) return found
    log.error('a plugin named a caller that is not a session of its own', { plugin, kind: found.kind })
  } catch (error) {
    if (isSatchelError(error)) throw error
    log.error('a plugin failed to recognize a caller', { plugin, error })
  }
  return undefined
}

/** Warns of unknown names, because `exclude` may be meant to protect. Not an error: the plugin may not be loaded. */
function warnOfUnknownNames({ filter, log }: HostOptions, registry: Registry): void {
  for (const setting of ['include', 'exclude'] as const) {
    for (const name of filter[setting].filter((one) => registry.tool(one) === undefined)) {
      const near = nearest(
        name,
        registry.tools.map(({ tool }) => tool.name),
      )
      log.warn(`tools.${setting} names a tool that no loaded plugin has`, {
        tool: name,
        ...(near && { nearest: near }),
      })
    }
  }
}

async function startWithin(plugin: string, instance: PluginInstance): Promise<void> {
  const seconds = START_LIMIT_MS / 1000
  try {
    await within(
      START_LIMIT_MS,
      () => refusals.plugin_start_timeout({ plugin, seconds }),
      async () => instance.start?.(),
    )
  } catch (thrown) {
    if (isSatchelError(thrown)) throw thrown
    throw refusals.plugin_start({ plugin }, { cause: thrown ?? String(thrown) })
  }
}

async function settle(log: Log, what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (thrown) {
    log.error('failed, going on', { what, error: thrown })
  }
}

/** Reports whether a principal may read a resource, by the rules of `call`. */
export function mayRead(owned: Owned<'resource', Resource>, principal: Principal): boolean {
  try {
    authorize({ plugin: owned.plugin, tool: owned.resource }, principal)
    return true
  } catch {
    return false
  }
}
