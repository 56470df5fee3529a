import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { asCallerError } from '../call.ts'
import type { Listener } from '../contract/advanced/route.ts'
import type { SatchelError } from '../contract/errors.ts'
import type { RunningHost } from '../host.ts'
import { inSpan, type Settled, type SpanBegin, type SpanEnd } from '../traces.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import { isWaiting } from './continue.ts'
import { endpointsAt, methodsOf } from './endpoints.ts'
import type { Caller, Endpoint, Exchange, HttpOptions } from './exchange.ts'
import { admit, checkHostAndOrigin, isMain } from './guard.ts'
import { problem } from './problem.ts'
import { refusals } from './refusals.ts'
import { requestRate } from './request-rate.ts'
import { resourceMetadataUrl } from './resource-metadata.ts'
import { requireSingleHeaders } from './single-headers.ts'

/** Time for a client to stop sending its body (mcp, section 4). */
const LINGER_MS = 1000
const UNASKED: Caller = { principal: undefined, credentials: { transport: 'http' } }
/** The pattern of all paths without an endpoint. */
const NOWHERE = '/*'
const NEVER = new AbortController().signal

export type App = Hono<{ Bindings: HttpBindings }>

export interface AppParts {
  readonly host: RunningHost
  readonly listener: Listener
  readonly endpoints: readonly Endpoint[]
  readonly calls: CallsInFlight
  readonly options: HttpOptions
  /** The port while listening; undefined for a socket. */
  port(): number | undefined
}

interface Parts extends AppParts {
  /** Errors: `rate_limited`/`too_many_requests`. */
  requireRate(exchange: Exchange): void
}

/** Creates the Hono app with the endpoints of one listener. */
export function createApp(declared: AppParts): App {
  const parts: Parts = { ...declared, requireRate: requestRate(declared.options) }
  const { endpoints } = parts
  const app: App = new Hono()
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/\{([^}]+)\}/g, ':$1')
    const serve = (c: Context<{ Bindings: HttpBindings }>): Promise<Response> => answer(c, endpoint, parts)
    if (endpoint.method === 'ALL') app.all(path, serve)
    else app.on(endpoint.method, path, serve)
  }
  app.notFound((c) => {
    const known = endpointsAt(endpoints, c.req.path)
    const [first] = known
    const endpoint = first
      ? refusing(first.path, methodNotAllowed(methodsOf(known)))
      : refusing(NOWHERE, noRoute(endpoints))
    return answer(c, endpoint, parts)
  })
  app.onError((thrown) => problem(asCallerError(thrown, { log: parts.host.log, signal: NEVER }, 'http')))
  return app
}

/**
 * Answers a request. The order is fixed: find the route, refuse repeated headers, check Host and Origin, check the guard,
 * then run the route, which reads the body first (architecture, section 5). Never rejects.
 */
async function answer(
  c: Context<{ Bindings: HttpBindings }>,
  endpoint: Endpoint,
  { host, listener, calls, options, port, requireRate }: Parts,
): Promise<Response> {
  const { incoming, outgoing } = c.env
  const signal = calls.begin(outgoing)
  const params: Record<string, string> = c.req.param()
  const exchange: Exchange = {
    listener,
    port: port(),
    request: c.req.raw,
    incoming,
    outgoing,
    params,
    signal,
    log: host.log,
  }
  const began = performance.now()
  const response = await inSpan(
    host.traces,
    () => beginOf(endpoint, exchange),
    () => servedOrRefused(endpoint, exchange, { host, options, calls, requireRate }),
    endOf,
  )
  if (options.oauth && isMain(listener)) nameMetadata(response, options.oauth.resource)
  options.metrics?.requested(listener.name, incoming.method ?? '', response.status)
  const ms = Math.round(performance.now() - began)
  // Without the query, which may contain secrets.
  host.log.debug('request', {
    listener: listener.name,
    method: incoming.method,
    path: c.req.path,
    status: response.status,
    ms,
  })
  const isUnread = response.status === 413 || isWaiting(incoming)
  return isUnread && !outgoing.headersSent ? lingeringAnswer(response, incoming, outgoing) : response
}

/** Every other method, and one that could not be read. */
export const OTHER_METHOD = '_OTHER'
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The span of a request has the path of the endpoint: the path that was asked for may hold anything. */
function beginOf({ path, owner }: Endpoint, { incoming, listener }: Exchange): SpanBegin {
  const { method = '', headers } = incoming
  const known = METHODS.includes(method) ? method : OTHER_METHOD
  return {
    name: `${known} ${path}`,
    kind: 'server',
    attributes: {
      'http.request.method': known,
      'http.route': path,
      'satchel.listener': listener.name,
      'satchel.plugin': owner,
    },
    from: { traceparent: headers['traceparent'], tracestate: headers['tracestate'] },
  }
}

function endOf(settled: Settled<Response>): SpanEnd {
  const status = settled.kind === 'answered' ? settled.value.status : 500
  return {
    attributes: { 'http.response.status_code': status },
    error: status >= 500 ? String(status) : undefined,
  }
}

/** Adds the place of the metadata to a challenge, as MCP asks. */
function nameMetadata({ headers }: Response, resource: string): void {
  const challenge = headers.get('www-authenticate')
  if (challenge === null) return
  headers.set('www-authenticate', `${challenge}, resource_metadata="${resourceMetadataUrl(resource)}"`)
}

async function servedOrRefused(
  endpoint: Endpoint,
  exchange: Exchange,
  { host, options, calls, requireRate }: Pick<Parts, 'host' | 'options' | 'calls' | 'requireRate'>,
): Promise<Response> {
  const { incoming, outgoing } = exchange
  try {
    requireSingleHeaders(incoming)
    if (endpoint.streams && incoming.method === 'HEAD') throw methodNotAllowed(['GET'])
    if (endpoint.path !== NOWHERE) checkHostAndOrigin(exchange, options) // that it is unknown is told first
    requireRate(exchange)
    calls.requireOpen()
    requireDecodable(exchange)
    const asksItself = endpoint.guard === 'mount' || endpoint.guard === 'public'
    const caller = asksItself ? UNASKED : await admit(endpoint.guard, exchange, host, options)
    return await endpoint.serve(exchange, caller)
  } catch (thrown) {
    const error = asCallerError(thrown, exchange, `${endpoint.method} ${endpoint.path}`)
    if (outgoing.headersSent) {
      outgoing.destroy() // a partial answer must not look complete
      return RESPONSE_ALREADY_SENT
    }
    return endpoint.refuse?.(error) ?? problem(error)
  }
}

/** Refuses variables that are not percent-encoded text: Hono hands on those of the path as they came, and U+FFFD for others. */
function requireDecodable({ params, incoming }: Exchange): void {
  const { url = '' } = incoming
  if (!url.includes('%')) return
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const given = { path: Object.keys(params).length === 0 ? '' : path, query }
  for (const [part, text] of Object.entries(given)) {
    try {
      decodeURIComponent(text)
    } catch (cause) {
      throw refusals.bad_escape({ part }, { cause })
    }
  }
}

/**
 * Answers a request before its body is complete, and closes the connection at the end of the body or after 1 s. Closing
 * immediately would reset the connection while the client sends, and the client would lose the answer.
 */
async function lingeringAnswer(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Response> {
  if (incoming.complete) return response
  const body = Buffer.from(await response.arrayBuffer())
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    connection: 'close',
    'content-length': body.length,
  })
  outgoing.write(body)
  const close = (): void => {
    clearTimeout(timer)
    outgoing.end(() => outgoing.destroy())
  }
  const timer = setTimeout(close, LINGER_MS).unref()
  incoming.once('end', close)
  outgoing.once('close', () => clearTimeout(timer))
  incoming.resume()
  return RESPONSE_ALREADY_SENT
}

/** The endpoint for an unknown path, or for another method of a known one: it is logged, counted and bounded as all are. */
function refusing(path: Endpoint['path'], error: SatchelError): Endpoint {
  return {
    method: 'ALL',
    path,
    guard: 'mount',
    owner: 'host',
    summary: '',
    serve: () => Promise.reject(error),
  }
}

/** Names a route that says what this listener serves, without a credential where there is no list at `GET /`. */
function noRoute(endpoints: readonly Endpoint[]): SatchelError {
  const hasList = endpoints.some(({ path, owner }) => path === '/' && owner === 'host')
  if (hasList) return refusals.route_not_found()
  const described = endpoints.find(
    ({ method, path, guard }) => method === 'GET' && guard === 'open' && path.startsWith('/.well-known/'),
  )
  return described ? refusals.no_route_at_listener({ path: described.path }) : refusals.no_route()
}

function methodNotAllowed(allow: readonly string[]): SatchelError {
  return refusals.method_not_allowed({ methods: allow.join(', ') }, { details: { allow } })
}
