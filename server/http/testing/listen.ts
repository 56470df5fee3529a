import type { TestContext } from 'node:test'
import { assetPath } from '../../assets.ts'
import type { Listener } from '../../contract/advanced/route.ts'
import type { RunningHost } from '../../host.ts'
import type { HttpOptions } from '../exchange.ts'
import { type HttpListener, openListener } from '../listener.ts'

/** What every listener of a test has. */
export const OPTIONS: HttpOptions = {
  version: '1.0.0',
  description: 'A host of the tests.',
  allowedHosts: [],
  allowedOrigins: [],
  resolvePath: async (path) => path,
  assetPath,
}

/** Opens a listener on loopback, `api` if nothing else is said; closed after the test. */
export async function listen(
  t: TestContext,
  host: RunningHost,
  listener: Partial<Listener> = {},
  options: Partial<HttpOptions> = {},
): Promise<HttpListener> {
  const api = { name: 'api', at: { host: '127.0.0.1', port: 0 }, mcp: options.mcp !== undefined }
  const opened = await openListener(host, { ...api, ...listener }, { ...OPTIONS, ...options })
  t.after(() => opened.close())
  return opened
}
