import { Server, type ServerContext, type ServerOptions } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { invalidArguments } from '../field-errors.ts'
import { type Caller, TASKS_EXTENSION } from './caller.ts'
import { complete } from './completions.ts'
import type { Door } from './door.ts'
import { type Asked, callContextOf, type Era, type Exchange } from './exchange.ts'
import { getPrompt } from './prompts.ts'
import { asProtocolError, refusedAs } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'
import { inRequestSpan } from './request-span.ts'
import { listResources, readResource } from './resources.ts'
import { cancelTask, getTask, updateTask } from './tasks.ts'
import { callTool } from './tools.ts'
import type { Watch } from './watch.ts'

/** The options that differ between the server instances of a process. */
export interface Connection {
  readonly era: Era
  /** Returns the caller of a request. Errors: each becomes `Internal error`. */
  callerOf(ctx: ServerContext): Caller
  /** Subscriptions of an older client's session, whose owner closes it. Absent at 2026-07-28: the transport keeps them. */
  readonly watch?: Watch
}

/** Time for which clients may cache an answer (mcp, section 8). */
const CACHE_HINTS: NonNullable<ServerOptions['cacheHints']> = {
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
  'tools/list': { ttlMs: 60_000, cacheScope: 'public' },
  'prompts/list': { ttlMs: 60_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 60_000, cacheScope: 'public' },
  'resources/list': { ttlMs: 5_000, cacheScope: 'private' },
}

const NO_PARAMS = z.looseObject({})
const URI_PARAMS = z.looseObject({ uri: z.string() })
const TASK_PARAMS = z.looseObject({ taskId: z.string().max(200) })

/** What each method takes, beside what the protocol adds. */
const PARAMS = {
  'tools/list': NO_PARAMS,
  'prompts/list': NO_PARAMS,
  'resources/templates/list': NO_PARAMS,
  'resources/list': z.looseObject({ cursor: z.string().max(200).optional() }),
  'resources/read': URI_PARAMS,
  'resources/subscribe': URI_PARAMS,
  'resources/unsubscribe': URI_PARAMS,
  'tools/call': z.looseObject({
    name: z.string().max(200),
    arguments: z.record(z.string(), z.unknown()).optional(),
  }),
  'prompts/get': z.looseObject({
    name: z.string().max(200),
    arguments: z.record(z.string(), z.string()).optional(),
  }),
  'completion/complete': z.looseObject({
    ref: z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('ref/prompt'), name: z.string().max(200) }),
      z.looseObject({ type: z.literal('ref/resource'), uri: z.string().max(2048) }),
    ]),
    argument: z.looseObject({ name: z.string().max(200), value: z.string().max(2048) }),
  }),
  'tasks/get': TASK_PARAMS,
  'tasks/update': TASK_PARAMS,
  'tasks/cancel': TASK_PARAMS,
}

type Method = keyof typeof PARAMS

/**
 * Creates a server for one connection, session or request. It has constant options and shared handlers, so it is cheap
 * and stateless. The caller that connects it closes it.
 */
export function serverFor(door: Door, connection: Connection): Server {
  const server = new PlainServer(serverInfoOf(door), {
    capabilities: capabilitiesFor(door, connection.era),
    ...(door.instructions !== undefined && { instructions: door.instructions }),
    cacheHints: CACHE_HINTS,
    ...(door.raw?.requestState && { requestState: door.raw.requestState }),
  })
  const on = handlerInstaller(door, connection, server)
  const modern = connection.era === 'modern'

  on('tools/list', ({ catalog }) => ({
    tools: modern ? catalog.modernTools : catalog.legacyTools,
  }))
  on('prompts/list', ({ catalog }) => ({ prompts: catalog.prompts }))
  on('resources/templates/list', ({ catalog }) => ({ resourceTemplates: catalog.templates }))
  on('resources/list', (exchange, { cursor }) => listResources(exchange, cursor))
  on('resources/read', (exchange, { uri }) => readResource(exchange, uri))
  on('tools/call', (exchange, params) => callTool(exchange, params))
  on('prompts/get', (exchange, params) => getPrompt(exchange, params.name, params.arguments ?? {}))
  on('completion/complete', (exchange, params) => complete(exchange, params))

  if (modern) {
    on('tasks/get', (exchange, { taskId }) => getTask(exchange, taskId))
    on('tasks/update', (exchange, { taskId }) => updateTask(exchange, taskId))
    on('tasks/cancel', (exchange, { taskId }) => cancelTask(exchange, taskId))
  }
  const { watch } = connection
  if (watch) {
    on('resources/subscribe', async (exchange, { uri }) => {
      await watch.subscribe(exchange.catalog, callContextOf(exchange), uri)
      return {}
    })
    on('resources/unsubscribe', async (_, { uri }) => {
      await watch.unsubscribe(uri)
      return {}
    })
  }
  return server
}

/** The server metadata in every result of 2026-07-28. */
export function serverInfoMeta(door: Door) {
  return { 'io.modelcontextprotocol/serverInfo': serverInfoOf(door) }
}

function serverInfoOf({ version }: Door) {
  return { name: 'satchel', title: 'Satchel', version }
}

type Handler<M extends Method> = (
  exchange: Exchange,
  params: z.output<(typeof PARAMS)[M]>,
) => WireResult | Promise<WireResult>

/** Installs handlers of the SDK. */
function handlerInstaller(door: Door, connection: Connection, server: Server) {
  return <M extends Method>(method: M, handle: Handler<M>): void => {
    server.setRequestHandler(method as string, { params: NO_PARAMS }, async (parsed, ctx) => {
      const { _meta: meta, envelope, signal } = ctx.mcpReq
      const asked = { era: connection.era, meta, envelope, signal, sdk: { ctx, server } }
      const known = parsed as z.output<(typeof PARAMS)[M]> // `PlainServer` looked at it
      const callerOf = (): Caller => connection.callerOf(ctx)
      return handled(door, { ...asked, callerOf }, method, (exchange) => handle(exchange, known))
    })
  }
}

type SdkHandler = Parameters<Server['_wrapHandler']>[1]

/** A server that refuses invalid params in our words. The SDK sends the text of its validator, for `tools/call` as JSON. */
class PlainServer extends Server {
  /** Runs before the SDK's own checks. */
  protected override _wrapHandler(method: string, handler: SdkHandler): SdkHandler {
    const checked = super._wrapHandler(method, handler)
    return async (request, ctx) => {
      if (Object.hasOwn(PARAMS, method)) requireParams(PARAMS[method as Method], request.params)
      return checked(request, ctx)
    }
  }
}

/** Errors: -32602 with the reason `invalid_arguments`, naming the first member. */
function requireParams(schema: z.ZodType, params: unknown = {}): void {
  const { error } = schema.safeParse(params)
  if (error) throw refusedAs(invalidArguments(error, params))
}

/**
 * Handles one request, of the SDK or beside it: waits for the start-up, and runs `handle` in a span.
 * Errors: `ProtocolError` only.
 */
export async function handled<T extends WireResult>(
  door: Door,
  asked: Asked & { callerOf(): Caller },
  method: string,
  handle: (exchange: Exchange) => T | Promise<T>,
): Promise<T> {
  try {
    const catalog = await door.catalog()
    const { era, meta, envelope, signal, sdk } = asked
    const { resolvePath } = door
    const exchange = { era, meta, envelope, signal, sdk, catalog, caller: asked.callerOf(), resolvePath }
    return await inRequestSpan(exchange, method, async () => handle(exchange))
  } catch (thrown) {
    throw asProtocolError(thrown, { log: door.log, signal: asked.signal }, method)
  }
}

/** Capabilities differ by era: older clients must not be offered tasks. */
function capabilitiesFor(door: Door, era: Era): NonNullable<ServerOptions['capabilities']> {
  return {
    tools: {},
    prompts: {},
    resources: { subscribe: true },
    completions: {},
    ...(era === 'modern' && { extensions: { [TASKS_EXTENSION]: {} } }),
    ...door.raw?.capabilities,
  }
}
