/** GET requests on behalf of one registry: bounded in time and size, guarded at every hop, without a token elsewhere. */
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isSatchelError } from '../../../server/plugin.ts'
import { abortError } from '../git/failure.ts'
import { refusals } from '../reasons.ts'
import { type TokenOf, tokenVariable } from './host-tokens.ts'
import { isLoopback, type Reach } from './reach.ts'

export interface HttpAnswer {
  /** Where it came from after redirects. */
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface HttpWishes {
  readonly accept: string
  readonly maxBytes: number
  /** For the whole answer. */
  readonly totalMs: number
  /** Asks whether it is still this `ETag`; the body of the answer is not read. */
  readonly unlessEtag?: string
}

export interface RegistryClient {
  /**
   * The answer after redirects, with any status.
   * Errors: `unavailable`/`network`, `timeout`, `registry_redirected`; `forbidden`/`host_refused`; `too_large`/`package_too_large`.
   */
  get(url: URL, wishes: HttpWishes): Promise<HttpAnswer>
  /** The registry's own API may be at a host that it names itself: that host's own token is sent there. */
  addTokenHost(host: string): void
  close(): void
}

export interface ClientOptions {
  readonly reach: Reach
  /** The host of the registry: nothing but its own token is sent to it. */
  readonly host: string
  readonly tokenOf: TokenOf
  /** Certificates to trust besides those of Node. */
  readonly authorities: readonly string[] | undefined
  readonly signal: AbortSignal
  /** How long a server may say nothing. */
  readonly silenceMs: number
}

const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Opens nothing before the first request. */
export function createRegistryClient(options: ClientOptions): RegistryClient {
  const { reach, tokenOf } = options
  const ca = options.authorities && [...options.authorities]
  const agents = {
    tls: new TlsAgent({ keepAlive: true, ...(ca && { ca }) }),
    plain: new PlainAgent({ keepAlive: true }),
  }
  const tokenHosts = new Set([options.host])
  const authorization = (url: URL, hasMoved: boolean): Record<string, string> => {
    const isSafe = url.protocol === 'https:' || isLoopback(url)
    const token = !hasMoved && isSafe && tokenHosts.has(url.host) ? tokenOf(url.host)?.trim() : undefined
    return token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }
  }
  return {
    async get(asked, wishes) {
      let url = asked
      let hasMoved = false
      for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
        const lookup = await reach.resolverOf(url)
        const headers = {
          accept: wishes.accept,
          'accept-encoding': 'identity',
          'user-agent': 'satchel',
          ...(wishes.unlessEtag !== undefined && { 'if-none-match': wishes.unlessEtag }),
          ...authorization(url, hasMoved),
        }
        const answer = await exchange({ ...options, url, lookup, agents, headers, wishes })
        if (!REDIRECTS.includes(answer.status)) return answer
        const next = targetOf(answer)
        hasMoved ||= next.host !== url.host
        url = next
      }
      throw refusals.registry_redirected({ host: asked.host, why: `more than ${MAX_REDIRECTS} times` })
    },
    addTokenHost: (host) => void tokenHosts.add(host),
    close() {
      agents.tls.destroy()
      agents.plain.destroy()
    },
  }
}

/** Where a redirect leads. Terraform follows none from https to http either. */
function targetOf({ url, headers }: HttpAnswer): URL {
  const { location } = headers
  const next =
    location === undefined || !URL.canParse(location, url.href) ? undefined : new URL(location, url)
  if (next === undefined) throw refusals.registry_redirected({ host: url.host, why: 'to no URL' })
  requireTransport(next, url.host)
  return next
}

/** Errors: `unavailable`/`registry_redirected` for a URL that is not https, or http on this machine. */
export function requireTransport(url: URL, from: string): void {
  if (url.protocol === 'https:' && url.username === '' && url.password === '') return
  if (url.protocol === 'http:' && isLoopback(url)) return
  throw refusals.registry_redirected({ host: from, why: 'to a URL that is not https' })
}

interface Exchange extends ClientOptions {
  readonly url: URL
  readonly lookup: LookupFunction | undefined
  readonly agents: { readonly tls: TlsAgent; readonly plain: PlainAgent }
  readonly headers: Record<string, string>
  readonly wishes: HttpWishes
}

async function exchange(call: Exchange): Promise<HttpAnswer> {
  const { url, signal, wishes } = call
  const overdue = AbortSignal.timeout(wishes.totalMs)
  try {
    const response = await respond(call, AbortSignal.any([signal, overdue]))
    const { statusCode: status = 0, headers } = response
    const isUnread = REDIRECTS.includes(status) || wishes.unlessEtag !== undefined
    const body = isUnread ? Buffer.alloc(0) : await bodyOf(response, call)
    response.destroy()
    return { url, status, headers, body }
  } catch (thrown) {
    if (signal.aborted) throw abortError(signal)
    if (overdue.aborted) throw refusals.registry_silent({ host: url.host }, { cause: thrown })
    throw connectionFailure(thrown, url)
  }
}

function respond(
  { url, lookup, agents, headers, silenceMs }: Exchange,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const wanted = {
      method: 'GET',
      headers,
      signal,
      agent: isTls ? agents.tls : agents.plain,
      ...(lookup && { lookup }),
    }
    const request = isTls ? tlsRequest(url, wanted) : plainRequest(url, wanted)
    request.setTimeout(silenceMs, () => request.destroy(refusals.registry_silent({ host: url.host })))
    request.once('response', resolve)
    request.on('error', reject)
    request.end()
  })
}

async function bodyOf(response: IncomingMessage, { url, wishes }: Exchange): Promise<Buffer> {
  const tooLarge = () =>
    refusals.registry_answer_too_large({ host: url.host, size: sizeText(wishes.maxBytes) })
  if (Number(response.headers['content-length'] ?? 0) > wishes.maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > wishes.maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function sizeText(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`
}

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/

/** What a connection failed with, as a refusal that names the host and nothing else of the URL. */
function connectionFailure(thrown: unknown, { host }: URL): unknown {
  if (isSatchelError(thrown)) return thrown
  const code = codeOf(thrown)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return refusals.registry_unresolved({ host }, { cause: thrown })
  if (UNTRUSTED.test(code)) return refusals.registry_untrusted({ host }, { cause: thrown })
  return refusals.registry_unreachable({ host, why: code }, { cause: thrown })
}

/** Whether a server at a port of this machine speaks no TLS. */
export function speaksNoTls(thrown: unknown): boolean {
  const cause = isSatchelError(thrown) ? thrown.cause : thrown
  return /^(?:EPROTO|ERR_SSL_)/.test(codeOf(cause))
}

/** Codes of the system, of TLS and of Node. */
function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'unknown'
}

/** The refusal for a status that is not an answer. */
export function statusFailure({ status, url: { host } }: HttpAnswer) {
  if (status === 401 || status === 403)
    return refusals.registry_unauthorized({ host, variable: tokenVariable(host) })
  if (status === 429 || status >= 500) return refusals.registry_unreachable({ host, why: `status ${status}` })
  return refusals.registry_answer({ host, what: `the status ${status}` })
}
