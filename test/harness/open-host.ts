import type { TestContext } from 'node:test'
import { assetPath } from '../../server/assets.ts'
import type { CallAnswer } from '../../server/call.ts'
import type { Listener, OpenListener } from '../../server/contract/advanced/route.ts'
import type { CallContext } from '../../server/contract/context.ts'
import { SatchelError } from '../../server/contract/errors.ts'
import type { Plugin } from '../../server/contract/plugin.ts'
import { createHost, type RunningHost } from '../../server/host.ts'
import { createLog } from '../../server/log.ts'
import { confineTo } from '../../server/platform/paths.ts'
import type { ToolFilter } from '../../server/tool-filter.ts'
import { findUnknownKey, unknownKey } from '../../server/unknown-key.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface OpenHostOptions {
  /** Plugins, or plugins with their raw settings. */
  readonly plugins: readonly (
    | Plugin
    | { readonly plugin: Plugin; readonly settings: Record<string, unknown> }
  )[]
  /** A fake clock; absent: the real one. */
  readonly now?: () => Date
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Absent: a new temporary folder, removed after the test. */
  readonly projectRoot?: string
  readonly filter?: Partial<ToolFilter>
  /** Address of a database, as `storage.url`. */
  readonly databaseUrl?: string
  openListener?(host: RunningHost, listener: Listener): Promise<OpenListener>
}

export interface TestHost {
  readonly host: RunningHost
  readonly projectRoot: string
  /** What was logged, one JSON text per entry. */
  readonly logged: readonly string[]
  /** A context of this OS user at the MCP door, with some members replaced. */
  context(overrides?: Partial<CallContext>): CallContext
  /** Calls a tool without any wire and gives its data. Errors: what the tool throws. */
  call(
    tool: string,
    input?: Record<string, unknown>,
    overrides?: Partial<CallContext>,
  ): Promise<Record<string, unknown>>
  answer(tool: string, input?: Record<string, unknown>, overrides?: Partial<CallContext>): Promise<CallAnswer>
}

/**
 * Sets up and starts a host with these plugins, in a temporary project; stopped and removed after the test.
 * Errors: `invalid`/`unknown_key` for a setting that its plugin does not have; those of `setup` and `start`.
 */
export async function openHost(t: TestContext, options: OpenHostOptions): Promise<TestHost> {
  const logged: string[] = []
  const now = options.now ?? (() => new Date())
  const projectRoot = options.projectRoot ?? (await temporaryFolder(t))
  const host = await createHost(
    options.plugins.map((entry) => pluginEntry(entry)),
    {
      log: createLog('trace', (line) => logged.push(line), now),
      now,
      projectRoot,
      configFile: undefined,
      env: options.env ?? {},
      filter: { profile: 'full', readOnly: false, include: [], exclude: [], ...options.filter },
      assetPath,
      openListener: options.openListener ?? refuseListeners,
      ...(options.databaseUrl !== undefined && { databaseUrl: options.databaseUrl }),
    },
  )
  t.after(() => host.stop())
  await host.start()
  return testHost(host, projectRoot, logged)
}

function pluginEntry(entry: OpenHostOptions['plugins'][number]) {
  const { plugin, settings } = 'plugin' in entry ? entry : { plugin: entry, settings: {} }
  const unknown = findUnknownKey(plugin.config, settings, `${plugin.name}.`)
  if (unknown) throw unknownKey(unknown)
  return { plugin, config: plugin.config.parse(settings), source: 'test' }
}

function testHost(host: RunningHost, projectRoot: string, logged: readonly string[]): TestHost {
  const context = (overrides: Partial<CallContext> = {}): CallContext => ({
    principal: { id: 'local', kind: 'local', capabilities: [] },
    signal: host.signal,
    log: host.log,
    door: 'mcp',
    acceptsTask: false,
    resolvePath: confineTo([projectRoot], projectRoot),
    progress: () => {},
    ...overrides,
  })
  const answer = async (
    name: string,
    input: Record<string, unknown> = {},
    overrides?: Partial<CallContext>,
  ) => {
    const owned = host.registry.tool(name)
    if (!owned) throw new SatchelError('not_found', 'unknown_tool', `No tool is called ${name}.`)
    return host.call(owned, input, context(overrides))
  }
  return {
    host,
    projectRoot,
    logged,
    context,
    answer,
    async call(name, input, overrides) {
      const got = await answer(name, input, overrides)
      return got.kind === 'done' ? got.data : { task: got.task }
    },
  }
}

async function refuseListeners(): Promise<OpenListener> {
  throw new SatchelError('unavailable', 'no_listener', 'This test host opens no listener.')
}
