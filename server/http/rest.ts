import type { OwnedTool } from '../call.ts'
import type { HttpRoute } from '../contract/tool.ts'
import type { RunningHost } from '../host.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { hasScope, levelOf } from '../tokens/scopes.ts'
import { callContext, type Endpoint, type Exchange, type HttpOptions, queryOf } from './exchange.ts'
import { jsonAnswer, matchesTag, untagged } from './json-answer.ts'
import { createQueryInput, type QueryInput } from './query-input.ts'
import {
  BODY_MAX_BYTES,
  decodeUtf8,
  hasBody,
  mediaType,
  parseJson,
  readBytes,
  requireIdentity,
  requireMediaType,
} from './read-body.ts'
import { refusals } from './refusals.ts'

/**
 * Creates the REST endpoint of one route of a tool. Query (GET, DELETE) or body, mapped headers and path merge into
 * one input object, in ascending precedence; the answer is the output of the tool.
 */
export function toolEndpoint(
  host: RunningHost,
  owned: OwnedTool,
  route: HttpRoute,
  options: HttpOptions,
): Endpoint {
  let query: QueryInput | undefined // created at the first use, to keep start-up fast
  return {
    method: route.method,
    path: route.path,
    guard: 'caller',
    owner: owned.plugin,
    summary: owned.tool.title,
    async serve(exchange, { principal }) {
      if (principal === undefined) throw new TypeError('the guard "caller" always names a principal')
      query ??= createQueryInput(owned.tool.input)
      // A call that the scopes do not allow is refused, and recorded, without its body.
      const isAllowed = hasScope(principal, owned.plugin, levelOf(owned.tool))
      const input = isAllowed ? await readInput(exchange, route, query, options) : {}
      const answer = await host.call(owned, input, callContext(exchange, principal, options))
      if (answer.kind === 'task')
        throw new TypeError(`${owned.tool.name} started a task that the caller did not ask for`)
      return route.untagged?.(answer.input) ? jsonAnswer(answer.data) : answerOf(answer.data, route, exchange)
    },
  }
}

async function readInput(
  exchange: Exchange,
  route: HttpRoute,
  query: QueryInput,
  options: HttpOptions,
): Promise<unknown> {
  const takesBody = route.method !== 'GET' && (route.method !== 'DELETE' || hasBody(exchange.incoming))
  const body = takesBody ? await readBodyInput(exchange, route, options) : {}
  if (!isJsonObject(body)) return body
  return {
    ...query.read(queryFields(exchange, route)),
    ...body,
    ...query.read(Object.entries(headerFields(exchange, route))),
    ...query.read(Object.entries(exchange.params)),
  }
}

function queryFields(exchange: Exchange, { method }: HttpRoute): URLSearchParams {
  const fields = queryOf(exchange)
  const [first] = fields.keys()
  if (first === undefined || method === 'GET' || method === 'DELETE') return fields
  const shown = first.slice(0, 80)
  throw refusals.unknown_argument({ method, name: shown }, { details: { argument: shown } })
}

async function readBodyInput(exchange: Exchange, route: HttpRoute, options: HttpOptions): Promise<unknown> {
  const { incoming } = exchange
  const { rawBody } = route
  const isRaw = rawBody !== undefined && mediaType(incoming) === rawBody.contentType
  if (isRaw) requireIdentity(incoming)
  else requireMediaType(incoming, ['application/json', ...(rawBody ? [rawBody.contentType] : [])])
  const bytes = await readBytes(incoming, {
    maxBytes: route.maxBodyBytes ?? BODY_MAX_BYTES,
    ...(options.bodyLimitMs !== undefined && { limitMs: options.bodyLimitMs }),
    ...(options.after && { after: options.after }),
  })
  const text = decodeUtf8(bytes)
  const value = isRaw ? text : parseJson(text)
  return rawBody !== undefined && typeof value === 'string' ? { [rawBody.field]: value } : value
}

function headerFields({ incoming }: Exchange, { headers = {} }: HttpRoute): Record<string, string> {
  const given = Object.entries(headers).flatMap(([header, field]) => {
    const value = incoming.headers[header]
    if (typeof value !== 'string') return []
    if (header === 'if-match') requireOneTag(value)
    return [[field, untagged(value)] as const]
  })
  return Object.fromEntries(given)
}

/** Refuses `*` and lists, which a tool would compare with its tag and call outdated. Errors: `invalid`/`bad_request`. */
function requireOneTag(value: string): void {
  if (value.trim() === '*' || /"\s*,/.test(value)) throw refusals.one_tag()
}

function answerOf(data: Record<string, unknown>, route: HttpRoute, { incoming }: Exchange): Response {
  const value = route.etag === undefined ? undefined : data[route.etag]
  if (typeof value !== 'string' && typeof value !== 'number') return jsonAnswer(data)
  const tag = String(value)
  const etag = `"${tag}"`
  if (route.method === 'GET' && matchesTag(incoming.headers['if-none-match'], tag)) {
    // A cache replaces what it stored by these; it must go on asking.
    return new Response(null, { status: 304, headers: { etag, 'cache-control': 'no-cache' } })
  }
  return jsonAnswer(data, { etag })
}
