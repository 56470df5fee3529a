import type { IncomingMessage } from 'node:http'
import type { Principal } from '../contract/advanced/principal.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { declaresTasks } from './caller.ts'
import type { Door } from './door.ts'
import { asProtocolError } from './protocol-errors.ts'
import { STRUCTURED_JSON, type ToolResult } from './raw-table.ts'
import { handled, serverInfoMeta } from './server.ts'
import { callTool, type ToolCall } from './tools.ts'

const VERSION = '2026-07-28'
const METHOD = 'tools/call'
const META = 'io.modelcontextprotocol/'
const NAME_MAX_CHARS = 200
const TYPE = 'content-type'
/** Members of `_meta` that the protocol defines for a request, beside the version. */
const CLIENT_INFO = `${META}clientInfo`
const CAPABILITIES = `${META}clientCapabilities`
const ENVELOPE: readonly string[] = [`${META}protocolVersion`, CLIENT_INFO, CAPABILITIES]

/** A `tools/call` of 2026-07-28 that can be answered by one response without the SDK. */
export interface DirectCall extends ToolCall {
  readonly id: string | number
  readonly meta: Readonly<Record<string, unknown>>
}

/**
 * Parses a call in which there is nothing to refuse, to ask or to report before the answer; undefined for all others,
 * which the SDK judges. What it accepts here must mean the same to the SDK (decision 0070).
 */
export function directCallOf(incoming: IncomingMessage, body: unknown): DirectCall | undefined {
  if (!isJsonObject(body) || !hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return undefined
  const { id, method, params } = body
  if (body['jsonrpc'] !== '2.0' || method !== METHOD) return undefined
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined
  if (!isJsonObject(params) || !hasOnly(params, ['_meta', 'name', 'arguments'])) return undefined
  const { name, arguments: args, _meta: meta } = params
  if (typeof name !== 'string' || name.length > NAME_MAX_CHARS || !namesInHeaders(incoming, name))
    return undefined
  if (args !== undefined && !isOpenRecord(args)) return undefined
  if (!isJsonObject(meta) || !isPlainEnvelope(meta)) return undefined
  return { id: id as string | number, name, ...(args !== undefined && { arguments: args }), meta }
}

/**
 * Answers a call as the SDK would: by the same handler, in the same span, with the same members in the same order.
 * Undefined if a remote server or a task may answer it, which need the SDK.
 */
export async function answerDirectly(
  door: Door,
  call: DirectCall,
  principal: Principal,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const { id, meta } = call
  const catalog = await door.catalog().catch(() => undefined) // the handler fails with it, as one error
  if (catalog?.raw || catalog?.unreached) return undefined
  if (catalog?.tool(call.name)?.owned.tool.task === true && declaresTasks(meta)) return undefined
  const asked = { era: 'modern', meta, envelope: meta, signal, callerOf: () => ({ principal }) } as const
  try {
    const result = await handled(door, asked, METHOD, (exchange) => callTool(exchange, call))
    if (signal.aborted) return disconnected()
    return answer(`{"result":${resultJson(door, result)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)
  } catch (thrown) {
    if (signal.aborted) return disconnected()
    const { code, message, data } = asProtocolError(thrown, { log: door.log, signal }, METHOD)
    const error = { code, message, ...(data !== undefined && { data }) }
    return answer(JSON.stringify({ jsonrpc: '2.0', id, error }))
  }
}

/** The members as the SDK writes them, in its order. The data was made JSON when it was measured. */
function resultJson(door: Door, result: ToolResult): string {
  const { content, structuredContent, isError, [STRUCTURED_JSON]: json } = result
  const data = json ? json() : JSON.stringify(structuredContent)
  const structured = data === undefined ? '' : `,"structuredContent":${data}`
  const error = isError === undefined ? '' : `,"isError":${JSON.stringify(isError)}`
  const meta = JSON.stringify(serverInfoMeta(door))
  return `{"content":${JSON.stringify(content)}${structured}${error},"resultType":"complete","_meta":${meta}}`
}

function answer(body: string): Response {
  return new Response(body, { status: 200, headers: { 'content-type': 'application/json' } })
}

/** No client reads it: the connection is closed, or will be with the server. */
function disconnected(): Response {
  return new Response(null, { status: 499 })
}

function hasOnly(value: Readonly<Record<string, unknown>>, known: readonly string[]): boolean {
  return Object.keys(value).every((name) => known.includes(name))
}

/** An own `__proto__`, which JSON can have, is dropped by the SDK and refused by `call`. */
function isOpenRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value) && !Object.hasOwn(value, '__proto__')
}

/** Reports whether the headers say once and plainly what the body says. */
function namesInHeaders({ headers, rawHeaders }: IncomingMessage, name: string): boolean {
  if (headers['mcp-protocol-version'] !== VERSION || headers['mcp-method'] !== METHOD) return false
  if (headers['mcp-name'] !== name || name.startsWith('=?')) return false
  // Node.js keeps the first of two types, and the SDK reads both.
  return headers['content-type'] === 'application/json' && typesIn(rawHeaders) === 1
}

function typesIn(rawHeaders: readonly string[]): number {
  let types = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === TYPE.length && rawHeaders[at]?.toLowerCase() === TYPE) types++
  return types
}

/** Reports whether `_meta` has a valid envelope, and nothing else that the protocol gives a meaning but a trace. */
function isPlainEnvelope(meta: Readonly<Record<string, unknown>>): boolean {
  if (meta[`${META}protocolVersion`] !== VERSION) return false
  for (const name of Object.keys(meta)) {
    if (name === 'progressToken' || name === '__proto__') return false
    if (name.startsWith(META) && !ENVELOPE.includes(name)) return false
  }
  const client = meta[CLIENT_INFO]
  return (client === undefined || isClient(client)) && isCapabilities(meta[CAPABILITIES])
}

const CLIENT_TEXTS: readonly string[] = ['name', 'version', 'title', 'description', 'websiteUrl']

function isClient(value: unknown): boolean {
  if (!isJsonObject(value) || value['name'] === undefined || value['version'] === undefined) return false
  return Object.entries(value).every(
    ([name, text]) => CLIENT_TEXTS.includes(name) && typeof text === 'string',
  )
}

const OPTIONAL_OBJECTS: readonly string[] = ['experimental', 'sampling', 'elicitation', 'extensions']

/** Capabilities of which every known one holds objects only, as all clients state them. */
function isCapabilities(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { roots } = value
  if (roots !== undefined && !(isJsonObject(roots) && isOptionalBoolean(roots['listChanged']))) return false
  return OPTIONAL_OBJECTS.every((name) => {
    const capability = value[name]
    if (capability === undefined) return true
    if (!isJsonObject(capability)) return false
    return Object.values(capability).every(
      (each) => isJsonObject(each) && isOptionalBoolean(each['applyDefaults']),
    )
  })
}

function isOptionalBoolean(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}
