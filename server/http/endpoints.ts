import * as z from 'zod'
import type { Listener } from '../contract/advanced/route.ts'
import type { RunningHost } from '../host.ts'
import { docsEndpoints } from './docs-page.ts'
import type { Endpoint, EndpointGuard, HttpOptions } from './exchange.ts'
import { isMain } from './guard.ts'
import { jsonAnswer } from './json-answer.ts'
import { mcpEndpoints } from './mcp-route.ts'
import { metaEndpoints } from './meta.ts'
import { openApiDocument, type ToolRoute } from './openapi.ts'
import { routeEndpoint } from './plugin-route.ts'
import { refusals } from './refusals.ts'
import { resourceEventsEndpoint } from './resource-events.ts'
import { resourceMetadataEndpoints } from './resource-metadata.ts'
import { toolEndpoint } from './rest.ts'
import type { StreamPlaces } from './stream-places.ts'
import { streamEndpoint } from './stream-route.ts'

/** The listener of the REST interface, the default for routes of tools. */
const API = 'api'

const OPEN_API = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({}),
  paths: z.record(z.string(), z.looseObject({})),
})

/** One line of the inventory: an endpoint with its listener and guard. */
export interface InventoryLine {
  readonly listener: string
  readonly method: string
  readonly path: string
  readonly guard: EndpointGuard
  readonly owner: string
}

/**
 * Returns all endpoints of a listener, fixed paths before those with parameters.
 * Errors: `conflict`/`name_taken` naming both owners of an address, one of which is the host.
 */
export function endpointsOf(
  host: RunningHost,
  listener: Listener,
  places: StreamPlaces,
  options: HttpOptions,
): readonly Endpoint[] {
  const { registry } = host
  const names = ({ listeners }: { readonly listeners?: readonly string[] }): boolean =>
    (listeners ?? [API]).includes(listener.name)
  const toolRoutes = toolRoutesOf(host).filter(({ route }) => names(route))
  const others: Endpoint[] = [
    ...registry.routes
      .filter(({ route }) => names(route))
      .map(({ route, plugin }) => routeEndpoint(route, plugin, options)),
    ...registry.streams
      .filter(({ stream }) => names(stream))
      .map((owned) => streamEndpoint(host, owned, places, options)),
  ]
  const mcp = listener.mcp && options.mcp ? mcpEndpoints(host, options.mcp, places, options) : []
  const all: Endpoint[] = [
    ...toolRoutes.map(({ owned, route }) => toolEndpoint(host, owned, route, options)),
    ...others,
    ...mcp,
    ...(isMain(listener) ? resourceMetadataEndpoints(host, options) : []),
    ...(listener.name === API ? apiEndpoints(() => all) : []),
  ]
  refuseTakenTwice(all)
  return all.sort((a, b) => specificity(a.path) - specificity(b.path))

  function apiEndpoints(endpoints: () => readonly Endpoint[]): Endpoint[] {
    const meta = metaEndpoints(host, options, endpoints)
    const events = resourceEventsEndpoint(host, places, options)
    let document: Record<string, unknown> | undefined
    const openApi: Endpoint = {
      method: 'GET',
      path: '/openapi.json',
      guard: 'caller',
      owner: 'host',
      summary: 'This document',
      operation: { answer: OPEN_API },
      async serve() {
        document ??= openApiDocument(
          { toolRoutes, others: [...others, ...meta, openApi, events], refusalsOf: registry.refusalsOf },
          options,
        )
        return jsonAnswer(document)
      },
    }
    return [...meta, openApi, ...docsEndpoints(options), events]
  }
}

/** What is served where: the whole of a listener, for tests and documents. */
export function inventory(listener: Listener, endpoints: readonly Endpoint[]): readonly InventoryLine[] {
  return endpoints.map(({ method, path, guard, owner }) => ({
    listener: listener.name,
    method,
    path,
    guard,
    owner,
  }))
}

/** Returns the endpoints at this path; empty for an unknown one. */
export function endpointsAt(endpoints: readonly Endpoint[], path: string): readonly Endpoint[] {
  return endpoints.filter((endpoint) => patternOf(endpoint.path).test(path))
}

/** Returns the methods that these endpoints accept. */
export function methodsOf(endpoints: readonly Endpoint[]): readonly string[] {
  const all = new Set(
    endpoints.flatMap(({ method, streams }) => (method === 'GET' && !streams ? ['GET', 'HEAD'] : [method])),
  )
  return [...all].sort()
}

function refuseTakenTwice(endpoints: readonly Endpoint[]): void {
  const known = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) {
    const pattern = endpoint.path.replaceAll(/\{[^}]+\}/g, '{}')
    const others = known.get(pattern) ?? []
    const first = others.find(({ method }) => meets(method, endpoint.method))
    if (first) {
      const owned = first.owner === 'host' ? endpoint : first
      const name = `${owned.method} ${owned.path}`
      const details = { name, owners: [first.owner, endpoint.owner] }
      throw refusals.name_taken({ address: name, first: first.owner, second: endpoint.owner }, { details })
    }
    known.set(pattern, [...others, endpoint])
  }
}

/** Of two endpoints of one path, the first would answer what the other is for. */
function meets(one: Endpoint['method'], other: Endpoint['method']): boolean {
  return one === other || one === 'ALL' || other === 'ALL'
}

function toolRoutesOf(host: RunningHost): ToolRoute[] {
  return host.registry.tools.flatMap((owned) =>
    [owned.tool.http ?? []].flat().map((route) => ({ owned, route })),
  )
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`)
}

function specificity(path: string): number {
  return path.split('{').length - 1
}
