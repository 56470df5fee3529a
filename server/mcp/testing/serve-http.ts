import type { TestContext } from 'node:test'
import * as z from 'zod'
import { openHost } from '../../../test/harness/open-host.ts'
import type { Principal } from '../../contract/advanced/principal.ts'
import { definePlugin, type Plugin } from '../../contract/plugin.ts'
import { createPump } from '../../fanout/pump.ts'
import type { HostDatabase } from '../../storage/database.ts'
import { createHttpMount } from '../http.ts'
import { type Limits, openMount } from './open-mount.ts'
import { samplePlugin } from './sample-plugin.ts'

export interface Serving {
  /** Milliseconds, in place of the process's own. */
  readonly clock?: { now: number }
  /** Fake timers for heartbeats and blocked readers. */
  readonly after?: (ms: number, action: () => void) => () => void
  readonly limits?: Limits
  readonly mount?: typeof createHttpMount
  /** Shared by several servers. */
  readonly database?: HostDatabase
  /** Beside the sample plugin. */
  readonly plugins?: readonly Plugin[]
}

/** A second plugin, which knows eve. */
const otherPlugin = definePlugin({
  name: 'other',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({
    authenticate: async ({ bearer }) =>
      bearer === 'ses_eve'
        ? { id: 'session:eve', kind: 'session', plugin: 'other', capabilities: ['admin'] }
        : undefined,
  }),
})

/** Serves the sample plugin over HTTP with three sessions: ada may read, bob may nothing, eve is another plugin's. */
export async function serveHttp(
  t: TestContext,
  { clock, after, limits = {}, mount = createHttpMount, database, plugins = [] }: Serving = {},
) {
  const { plugin, world } = samplePlugin()
  const opened = await openHost(t, { plugins: [plugin, otherPlugin, ...plugins] })
  const session = (name: string, capabilities: Principal['capabilities']) =>
    world.sessions.set(`ses_${name}`, {
      id: `session:${name}`,
      kind: 'session',
      plugin: 'sample',
      capabilities,
    })
  session('ada', ['read'])
  session('bob', [])
  const pump = createPump(after)
  const door = mount({
    boot: Promise.resolve({ ...opened.host, database }),
    version: '1.0.0',
    log: opened.host.log,
    resolvePath: async (path) => path,
    pump,
    ...(after && { after }),
    ...(clock && { clock: () => clock.now }),
  })
  const { address, close } = await openMount(t, opened.host, door, { ...limits, pump })
  return { ...opened, world, sessions: world.sessions, url: `${address}/mcp`, address, close }
}

/** The header a session presents. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
