import type { TestContext } from 'node:test'
import { assetPath } from '../../assets.ts'
import type { Pump } from '../../fanout/pump.ts'
import type { RunningHost } from '../../host.ts'
import { openListener } from '../../http/listener.ts'
import type { McpMount } from '../../mcp-mount.ts'

export interface Limits {
  /** Shared with the mount, so that its streams count. */
  readonly pump?: Pump
  readonly maxStreams?: number
  readonly graceMs?: number
  readonly bodyLimitMs?: number
}

export interface OpenMount {
  readonly address: string
  close(): Promise<void>
}

/** Serves a mount at a free port, behind the guards and the body reader of the HTTP door; closed after the test. */
export async function openMount(
  t: TestContext,
  host: RunningHost,
  mount: McpMount,
  limits: Limits = {},
): Promise<OpenMount> {
  const listener = await openListener(
    host,
    { name: 'mcp', at: { host: '127.0.0.1', port: 0 }, mcp: true },
    {
      version: '1.0.0',
      description: 'test',
      allowedHosts: [],
      allowedOrigins: [],
      resolvePath: async (path) => path,
      assetPath,
      mcp: mount,
      graceMs: 50,
      ...limits,
    },
  )
  t.after(() => listener.close())
  return { address: listener.address, close: () => listener.close() }
}
