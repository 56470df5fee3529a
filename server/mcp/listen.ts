import { ProtocolError } from '@modelcontextprotocol/server'
import type { CallContext } from '../contract/context.ts'
import type { SatchelError } from '../contract/errors.ts'
import { declaresElicitation } from './caller.ts'
import type { Catalog } from './descriptors.ts'
import { type ExtraRequest, type ListenFilter, listenFilterOf } from './extras.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import { refusals } from './refusals.ts'
import { findTask, requireTasksDeclared } from './tasks.ts'
import { MAX_WATCHED_URIS, requireSubscribable, tooManyUris } from './watch.ts'

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
/** Maximum number of open listens of one principal or connection (mcp, section 5). */
export const MAX_LISTENS = 8

/** Sends a message about `key`; `message` is called only when it is sent. */
export type Say = (key: string, message: () => unknown) => void

/** One open `subscriptions/listen`. Its owner calls `close` when the connection, the caller or the process ends. */
export interface Listen {
  /** First message: the resources and tasks that are watched. */
  readonly acknowledgement: unknown
  /** Final message, sent when the server ends the stream. */
  readonly finalMessage: unknown
  close(): void
}

/**
 * Opens a `subscriptions/listen`. Unknown, foreign and unavailable entries are silently omitted; nothing is replayed.
 * Errors: -32602 for a malformed filter, -32021 for task ids without the declared extension, then
 * `rate_limited`/`subscription_limit`.
 */
export async function openListen(
  catalog: Catalog,
  ctx: CallContext,
  request: ExtraRequest,
  open: { readonly count: number; readonly say: Say },
): Promise<Listen> {
  const filter = checkedFilter(request)
  if (open.count >= MAX_LISTENS) throw tooManyListens()
  const uris = await kept(filter.uris, (uri) => isSubscribable(catalog, ctx, uri))
  const taskIds = await kept(
    filter.taskIds ?? [],
    async (id) => (await findTask(catalog, ctx, id)) !== undefined,
  )

  const meta = { [SUBSCRIPTION_ID]: request.id }
  const { hub } = catalog.host
  const canAsk = declaresElicitation(request.envelope)
  const stops = [
    ...uris.map((uri) => hub.on(uri, () => open.say(uri, () => updated(uri, meta)))),
    ...taskIds.map((id) =>
      hub.on(id, () => {
        sayTask(catalog, ctx, { id, canAsk, meta, say: open.say })
      }),
    ),
  ]
  const notifications = {
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(taskIds.length > 0 && { taskIds }),
  }
  return {
    acknowledgement: {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications, _meta: meta },
    },
    finalMessage: { jsonrpc: '2.0', id: request.id, result: { resultType: 'complete', _meta: meta } },
    close() {
      for (const stop of stops) stop()
    },
  }
}

/** Returns the hint that a resource changed, without its content. */
export function updated(uri: string, meta?: Readonly<Record<string, unknown>>): unknown {
  return {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri, ...(meta && { _meta: meta }) },
  }
}

interface TaskHint {
  readonly id: string
  readonly canAsk: boolean
  readonly meta?: Readonly<Record<string, unknown>>
  readonly say: Say
}

/** Sends the current answer of `tasks/get`; nothing if the caller may no longer see the task. */
export function sayTask(catalog: Catalog, ctx: CallContext, { id, canAsk, meta, say }: TaskHint): void {
  findTask(catalog, ctx, id).then(
    (found) => {
      if (!found) return
      const params = { ...found.detailed(canAsk), ...(meta && { _meta: meta }) }
      say(id, () => ({ jsonrpc: '2.0', method: 'notifications/tasks', params }))
    },
    (error: unknown) => ctx.log.error('a changed task could not be read', { task: id, error }),
  )
}

function checkedFilter(request: ExtraRequest): ListenFilter {
  const filter = listenFilterOf(request.params)
  if (!filter) {
    throw new ProtocolError(INVALID_PARAMS, 'params.notifications must be an object of what to listen to')
  }
  if (filter.taskIds) requireTasksDeclared(request.envelope)
  if (filter.uris.length + (filter.taskIds?.length ?? 0) > MAX_WATCHED_URIS) throw tooManyUris()
  return filter
}

async function isSubscribable(catalog: Catalog, ctx: CallContext, uri: string): Promise<boolean> {
  try {
    await requireSubscribable(catalog, ctx, uri)
    return true
  } catch (thrown) {
    if (ProtocolError.isInstance(thrown)) return false
    throw thrown
  }
}

async function kept(all: readonly string[], passes: (each: string) => Promise<boolean>): Promise<string[]> {
  const passed: string[] = []
  for (const each of all) if (await passes(each)) passed.push(each)
  return passed
}

function tooManyListens(): SatchelError {
  return refusals.subscription_limit({ count: MAX_LISTENS })
}
