import type { Route, RouteDocument } from '../contract/advanced/route.ts'
import { labelledLog } from '../plugin-log.ts'
import { requireScope } from '../tokens/scopes.ts'
import type { Endpoint, EndpointOperation, HttpOptions } from './exchange.ts'
import { hasBody, readBytes, requireIdentity } from './read-body.ts'
import { callerAddress } from './trusted-proxy.ts'

/** Maximum size of a body on a route other than a tool (contract, `Route.maxBodyBytes`). */
const ROUTE_BODY_MAX_BYTES = 1024 * 1024

/** Creates the endpoint of a plugin's route, which receives a complete, uncompressed body of limited size. */
export function routeEndpoint(route: Route, plugin: string, options: HttpOptions): Endpoint {
  return {
    method: route.method,
    path: route.path,
    guard: route.guard,
    owner: plugin,
    summary: route.document?.summary ?? `A page or address of the plugin ${plugin}`,
    ...(route.document && { operation: operationOf(route.document) }),
    async serve(exchange, { principal, credentials }) {
      const { incoming, request, params, signal } = exchange
      const log = labelledLog(exchange.log, { plugin })
      // Without a token anyone may use an open one, so that no scope is missing for it.
      if (principal && route.guard !== 'open')
        requireScope(principal, plugin, route.method === 'GET' ? 'read' : 'write')
      let whole = request
      if (hasBody(incoming)) {
        requireIdentity(incoming)
        const body = await readBytes(incoming, {
          maxBytes: route.maxBodyBytes ?? ROUTE_BODY_MAX_BYTES,
          ...(options.bodyLimitMs !== undefined && { limitMs: options.bodyLimitMs }),
          ...(options.after && { after: options.after }),
        })
        whole = new Request(request.url, { method: request.method, headers: request.headers, body })
      }
      const peer = callerAddress(exchange, options)
      return route.handle({ ...(principal && { principal }), credentials, signal, log, params, peer }, whole)
    },
  }
}

function operationOf({ operationId, body, answer, mediaType }: RouteDocument): EndpointOperation {
  return {
    id: operationId,
    ...(body && { body }),
    ...(answer && { answer }),
    ...(mediaType !== undefined && { mediaType }),
  }
}
