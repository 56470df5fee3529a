import type { TestContext } from 'node:test'
import { assetPath } from '../../server/assets.ts'
import type { RunningHost } from '../../server/host.ts'
import { openListener } from '../../server/http/listener.ts'
import type { McpMount } from '../../server/mcp-mount.ts'

/** Serves a mount at a free port, behind the guards and the body reader of the HTTP door; closed after the test. */
export async function openMount(t: TestContext, host: RunningHost, mount: McpMount): Promise<string> {
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
    },
  )
  t.after(async () => {
    await mount.close()
    await listener.close()
  })
  return listener.address
}
