import type { TestContext } from 'node:test'
import type { Pump } from '../../fanout/pump.ts'
import type { RunningHost } from '../../host.ts'
import { listen } from '../../http/testing/listen.ts'
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
  const listener = await listen(t, host, { name: 'mcp' }, { mcp: mount, graceMs: 50, ...limits })
  return { address: listener.address, close: () => listener.close() }
}
