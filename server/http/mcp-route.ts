import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Principal } from '../contract/advanced/principal.ts'
import type { RunningHost } from '../host.ts'
import type { McpMount } from '../mcp-mount.ts'
import { type Endpoint, type HttpOptions, onlyParameter } from './exchange.ts'
import { admit } from './guard.ts'
import { readJson } from './read-body.ts'
import type { StreamPlaces } from './stream-places.ts'

/** Returns the routes of the MCP door. Host and Origin are checked here; the door checks credentials and body itself. */
export function mcpEndpoints(
  host: RunningHost,
  mount: McpMount,
  places: StreamPlaces,
  options: HttpOptions,
): Endpoint[] {
  return mount.routes.map(({ method, path }) => ({
    method,
    path,
    guard: 'mount',
    owner: 'host',
    summary: 'MCP',
    refuse: (error) => mount.refuse(error),
    serve: (exchange) => {
      const authenticate = async (): Promise<Principal> => {
        const { principal } = await admit('mount', exchange, host, options)
        if (principal === undefined) throw new TypeError('the guard "mount" always names a principal')
        return principal
      }
      return mount.handle({
        listener: exchange.listener.name,
        request: exchange.request,
        incoming: exchange.incoming,
        outgoing: exchange.outgoing,
        signal: exchange.signal,
        authenticate,
        parameter: (name) => onlyParameter(exchange, name),
        readBody: (maxBytes) =>
          readJson(exchange.incoming, {
            maxBytes,
            ...(options.bodyLimitMs !== undefined && { limitMs: options.bodyLimitMs }),
            ...(options.after && { after: options.after }),
          }),
        onCallerEnded: (principalId, action) => host.hub.on(principalId, action),
        requireStreamPlace: places.requireOne,
        alreadySent: () => RESPONSE_ALREADY_SENT,
      })
    },
  }))
}
