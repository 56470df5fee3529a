import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { asInvalidToken } from '../challenge.ts'
import type { Credentials, Principal } from '../contract/advanced/principal.ts'
import type { Listener } from '../contract/advanced/route.ts'
import type { RunningHost } from '../host.ts'
import { isOwnUser } from '../platform/peer-owner.ts'
import {
  type Caller,
  type EndpointGuard,
  type Exchange,
  type HttpOptions,
  onlyParameter,
} from './exchange.ts'
import { passedProxy } from './proxy-signs.ts'
import { mediaType } from './read-body.ts'
import { refusals } from './refusals.ts'
import { isTrustedProxy, ownOrigin } from './trusted-proxy.ts'

const LOCAL: Principal = { id: 'local', kind: 'local', capabilities: [] }
const OPERATOR: Principal = { id: 'operator', kind: 'operator', capabilities: [] }

/** All other listeners belong to a plugin: they check `Host` strictly and require credentials. */
const MAIN_LISTENERS: readonly string[] = ['api', 'mcp']
const HTTP_PORT = 80
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
const BEARER = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i
const IS_BEARER = /^bearer( |$)/i
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/
const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const LOOPBACK_PEER = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/

/**
 * Refuses a foreign `Host` on a plugin's listener, and on every listener an `Origin` that is neither the
 * request's own nor allowed (workspace, section 8; surface, section 6). An absent `Origin` passes.
 * Errors: `forbidden`/`host_not_allowed`, `forbidden`/`origin_not_allowed`.
 */
export function checkHostAndOrigin(exchange: Exchange, options: HttpOptions): void {
  const { incoming, listener } = exchange
  if (!isSocket(listener) && !isMain(listener) && !isOwnHost(exchange, options)) {
    throw refusals.host_not_allowed()
  }
  const { origin } = incoming.headers
  if (origin === undefined || allowedOrigins(exchange, options).includes(origin.toLowerCase())) return
  throw refusals.origin_not_allowed()
}

/**
 * Authenticates the caller with the credentials that `guard` selects.
 * Errors: `unauthorized`/`unauthorized`; `forbidden`/`origin_not_allowed` for a browser's cookie.
 */
export async function admit(
  guard: EndpointGuard,
  exchange: Exchange,
  host: RunningHost,
  options: HttpOptions,
): Promise<Caller> {
  const presented = presentedCredentials(guard, exchange)
  if (presented.bearer !== undefined) return byBearer(presented, exchange, host, options)
  if (presented.cookie !== undefined) {
    const principal = await host.authenticate(presented)
    if (principal) {
      checkBrowserRequest(exchange)
      return { principal, credentials: presented }
    }
  }
  return withoutCredential(guard, presented, exchange, options)
}

/** Authenticates the caller of an open stream again. Errors: `unauthorized`; those of `HttpOptions.recognize`. */
export async function admitAgain(
  { principal, credentials }: Caller,
  host: RunningHost,
  options: HttpOptions,
): Promise<void> {
  const isScoped = principal?.scopes !== undefined
  if (principal === undefined || (principal.kind !== 'session' && !isScoped)) return
  const now = isScoped
    ? await options.recognize?.(credentials.bearer ?? '')
    : await host.authenticate(credentials)
  if (now?.id !== principal.id) throw refusals.unauthorized()
}

function presentedCredentials(guard: EndpointGuard, exchange: Exchange): Credentials {
  const { incoming, listener } = exchange
  const { authorization, cookie } = incoming.headers
  const expects = expectationOf(exchange)
  const bearer = authorization === undefined ? undefined : bearerOf(authorization)
  // A listener for agents ignores cookies, because a browser sends them for any page.
  const takesCookie =
    !listener.mcp &&
    (guard === 'cookie' || guard === 'bearer-or-cookie' || guard === 'caller' || guard === 'open')
  return {
    transport: isSocket(listener) ? 'socket' : 'http',
    listener: listener.name,
    ...(bearer !== undefined && { bearer }),
    ...(bearer === undefined && takesCookie && cookie !== undefined && { cookie }),
    ...(expects !== undefined && { expects }),
  }
}

/** A browser's `EventSource` sends no header, only its address. */
function expectationOf(exchange: Exchange): string | undefined {
  const { headers, url } = exchange.incoming
  const header = headers['x-satchel-expects']
  const parameter = url?.includes('expects=') ? onlyParameter(exchange, 'expects') : undefined
  return typeof header === 'string' ? header : parameter
}

function bearerOf(authorization: string): string {
  const bearer = BEARER.exec(authorization)?.[1]
  if (bearer === undefined) throw IS_BEARER.test(authorization) ? bearerRefused() : refusals.unauthorized()
  return bearer
}

/** Another token may do: `error="invalid_token"` in the challenge (RFC 6750, section 3.1). */
function bearerRefused() {
  return asInvalidToken(refusals.bearer_refused())
}

async function byBearer(
  credentials: Credentials,
  { listener, incoming }: Exchange,
  host: RunningHost,
  options: HttpOptions,
): Promise<Caller> {
  const is = (token: string | undefined): boolean =>
    token !== undefined && equalSecrets(credentials.bearer ?? '', token)
  if (isMain(listener)) {
    if (is(options.token)) return { principal: OPERATOR, credentials }
    const isHere = LOOPBACK_PEER.test(incoming.socket.remoteAddress ?? '')
    if (isHere && is(options.localToken)) return { principal: LOCAL, credentials }
    const known = await options.recognize?.(credentials.bearer ?? '')
    if (known) return { principal: known, credentials }
  }
  const principal = await host.authenticate(credentials)
  if (principal === undefined) throw bearerRefused()
  return { principal, credentials }
}

async function withoutCredential(
  guard: EndpointGuard,
  credentials: Credentials,
  exchange: Exchange,
  options: HttpOptions,
): Promise<Caller> {
  if (isSocket(exchange.listener)) {
    if (guard === 'cookie' || guard === 'bearer' || guard === 'bearer-or-cookie')
      throw refusals.unauthorized()
    // A proxy of this user may open the socket too.
    if (isMain(exchange.listener) && passedProxy(exchange.incoming)) throw refusals.token_needed()
    return { principal: LOCAL, credentials }
  }
  if (guard === 'socket') throw refusals.route_not_found()
  // Its plugin opened it to all callers, as a guest who has an invitation needs; the server's token is for the operator.
  if (guard === 'open') return { principal: undefined, credentials }
  const main = isMain(exchange.listener)
  if (main && !(await needsNoToken(exchange, options))) throw refusals.token_needed()
  if (main && (guard === 'caller' || guard === 'mount')) return { principal: LOCAL, credentials }
  throw refusals.unauthorized()
}

/**
 * Reports whether the caller is proved to be this OS user: it connected over loopback without a proxy, names this
 * listener, and the kernel says that the user of its socket is ours (design round 2, section 5).
 */
async function needsNoToken(exchange: Exchange, options: HttpOptions): Promise<boolean> {
  const { incoming, port } = exchange
  const host = hostOf(incoming.headers)
  const isDirect =
    LOOPBACK_PEER.test(incoming.socket.remoteAddress ?? '') &&
    host !== undefined &&
    LOOPBACK_NAME.test(host.name) &&
    (host.port ?? HTTP_PORT) === port &&
    !isTrustedProxy(exchange, options) &&
    !passedProxy(incoming)
  return isDirect && (await (options.isOwnUser ?? isOwnUser)(incoming.socket))
}

/** Browsers send cookies with requests of any page, so an unsafe request must prove its origin (workspace, section 8). */
function checkBrowserRequest({ incoming }: Exchange): void {
  if (SAFE_METHODS.includes(incoming.method ?? '')) return
  const { origin, host } = incoming.headers
  if (origin === undefined || origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
    throw refusals.foreign_page()
  }
  const site = incoming.headers['sec-fetch-site']
  const fromOurPage = site === undefined || site === 'same-origin' || site === 'none'
  if (!fromOurPage || incoming.headers['x-satchel-request'] !== '1') {
    throw refusals.unmarked_page()
  }
  if (mediaType(incoming) !== 'application/json') throw refusals.media_type({ accepted: 'application/json' })
}

function isOwnHost({ incoming, listener, port }: Exchange, options: HttpOptions): boolean {
  const host = hostOf(incoming.headers)
  if (host === undefined) return false
  if (LOOPBACK_NAME.test(host.name)) return (host.port ?? HTTP_PORT) === port
  const allowed = [...(listener.allowedHosts ?? []), ...options.allowedHosts].map((name) =>
    name.toLowerCase(),
  )
  return allowed.includes(host.name) || allowed.includes(`${host.name}:${host.port}`)
}

/** Accepts the request's own origin, except on a plugin's listener that serves MCP and no page, where only agents call. */
function allowedOrigins(exchange: Exchange, options: HttpOptions): string[] {
  const { listener } = exchange
  const hasPage = isMain(listener) || !listener.mcp || listener.servesPage === true
  const own = hasPage ? [ownOrigin(exchange, options)] : []
  return [...own, ...(listener.allowedOrigins ?? []), ...options.allowedOrigins].map((each) =>
    each.toLowerCase(),
  )
}

function hostOf(headers: IncomingHttpHeaders): { name: string; port: number | undefined } | undefined {
  const found = HOST.exec(headers.host?.toLowerCase() ?? '')
  if (found?.[1] === undefined) return undefined
  return { name: found[1], port: found[2] === undefined ? undefined : Number(found[2]) }
}

/** The host's own listeners: `api` of `serve`, `mcp` of `mcp --transport`. */
export function isMain({ name }: Listener): boolean {
  return MAIN_LISTENERS.includes(name)
}

function isSocket({ at }: Listener): boolean {
  return 'socket' in at
}

function equalSecrets(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
