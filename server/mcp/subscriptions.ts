import type { Principal } from '../contract/advanced/principal.ts'
import type { CallContext } from '../contract/context.ts'
import type { McpExchange } from '../mcp-mount.ts'
import type { Catalog } from './descriptors.ts'
import type { Door } from './door.ts'
import { type ExtraRequest, extraContext, requireRead, watched } from './extras.ts'
import { MAX_STREAMS, tooManyStreams } from './legacy.ts'
import { openListen, sayTask, updated } from './listen.ts'
import {
  endStreamsOf,
  messageFrame,
  type NotificationStream,
  type NotificationStreamOptions,
  openNotificationStream,
} from './notification-stream.ts'
import { createWatch, type Watch } from './watch.ts'

/** Time for which subscriptions are kept without stream and request (mcp, section 5). */
const KEPT_MS = 30 * 60_000
/** Time after which the subscriptions of a silent session are dropped; its expiry is detected only at a call. */
const SESSION_KEPT_MS = 24 * 60 * 60_000
const SWEEP_MS = 60_000

/** The subscriptions of one principal at 2026-07-28, kept in memory and lost at a restart. */
interface Subscriber {
  readonly watch: Watch
  readonly streams: Set<NotificationStream>
  readonly listens: Set<NotificationStream>
  /** Listens whose filter is being checked; they count, because a burst would otherwise exceed the maximum. */
  opening: number
  /** Time for which it is kept without stream and request; zero for a caller that lost its rights. */
  keptMs: number
  usedAt: number
  stopTasks(): void
  /** Removes the listener for the end of the caller's rights. */
  stopWaiting(): void
}

export interface SubscriptionsOptions {
  readonly door: Door
  readonly stream: Pick<NotificationStreamOptions, 'pump' | 'after'>
  clock(): number
}

/** The methods and streams of 2026-07-28 that we implement. Errors: `http.ts` maps each to a refusal. */
export interface Subscriptions {
  /** `resources/subscribe`, `resources/unsubscribe`, `subscriptions/listen`. */
  answer(exchange: McpExchange, principal: Principal, request: ExtraRequest): Promise<Response>
  /** `GET /mcp`. */
  get(exchange: McpExchange, principal: Principal): Promise<Response>
  /** Ends the streams of one listener; a listen gets its closing result. */
  endStreams(listener: string): void
  /** Ends all streams and drops all subscriptions. */
  close(): void
}

/** Creates the methods without subscribers; the owner closes them. */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { door, clock } = options
  const subscribers = new Map<string, Subscriber>()

  const sweep = (): void => {
    for (const [id, subscriber] of subscribers) {
      const { streams, listens, opening, usedAt, keptMs } = subscriber
      if (streams.size + listens.size + opening > 0 || clock() - usedAt < keptMs) continue
      forget(id, subscriber)
    }
  }
  const forget = (id: string, subscriber: Subscriber): void => {
    subscribers.delete(id)
    subscriber.watch.close()
    subscriber.stopTasks()
    subscriber.stopWaiting()
  }
  const begin = (principal: Principal, { hub }: Catalog['host']): Subscriber => {
    const subscriber = newSubscriber(principal)
    subscribers.set(principal.id, subscriber)
    if (principal.kind === 'session' || principal.scopes !== undefined) {
      subscriber.stopWaiting = hub.on(principal.id, () => {
        subscriber.keptMs = 0
        sweep()
      })
    }
    return subscriber
  }
  const subscriberOf = (principal: Principal, { host }: Catalog): Subscriber => {
    sweep()
    const subscriber = subscribers.get(principal.id) ?? begin(principal, host)
    subscriber.usedAt = clock()
    return subscriber
  }
  const ended = (subscriber: Subscriber): void => {
    subscriber.usedAt = clock()
    if (subscriber.keptMs === 0) sweep()
  }
  const timer = setInterval(sweep, SWEEP_MS).unref()

  return {
    async answer(exchange, principal, request) {
      const catalog = await door.catalog()
      const subscriber = subscriberOf(principal, catalog)
      const asked = { door, catalog, ctx: contextOf(door, exchange, principal, request) }
      if (request.method !== 'subscriptions/listen') return answerUri(asked, subscriber, request)
      return openListenStream(options, exchange, { ...asked, principal, request, subscriber, ended })
    },
    async get(exchange, principal) {
      const catalog = await door.catalog()
      const ctx = contextOf(door, exchange, principal)
      requireRead(ctx)
      const subscriber = subscriberOf(principal, catalog)
      if (subscriber.streams.size >= MAX_STREAMS) throw tooManyStreams()
      const stream = openNotificationStream(exchange, principal.id, {
        ...options.stream,
        onClose: () => {
          subscriber.streams.delete(stream)
          if (subscriber.streams.size === 0) subscriber.stopTasks()
          ended(subscriber)
        },
      })
      if (subscriber.streams.size === 0) watchTasks(catalog, ctx, subscriber)
      subscriber.streams.add(stream)
      stream.start(subscriber.watch.uris.map((uri) => messageFrame(updated(uri))))
      return exchange.alreadySent()
    },
    endStreams(listener) {
      for (const { streams, listens } of subscribers.values()) {
        endStreamsOf([...streams, ...listens], listener)
      }
    },
    close() {
      clearInterval(timer)
      for (const [id, subscriber] of subscribers) {
        for (const stream of [...subscriber.streams, ...subscriber.listens]) stream.end()
        forget(id, subscriber)
      }
    },
  }
}

function newSubscriber(principal: Principal): Subscriber {
  const streams = new Set<NotificationStream>()
  return {
    watch: createWatch((uri) => {
      const frame = messageFrame(updated(uri))
      for (const stream of streams) stream.notify(frame)
    }),
    streams,
    listens: new Set(),
    opening: 0,
    keptMs: principal.kind === 'session' ? SESSION_KEPT_MS : KEPT_MS,
    usedAt: 0,
    stopTasks: () => undefined,
    stopWaiting: () => undefined,
  }
}

/** Sends changes of a principal's own tasks to its GET streams, without a subscription. */
function watchTasks(catalog: Catalog, ctx: CallContext, subscriber: Subscriber): void {
  const say = (_key: string, message: () => unknown): void => {
    const frame = messageFrame(message())
    for (const stream of subscriber.streams) stream.notify(frame)
  }
  subscriber.stopTasks = catalog.host.hub.on('*', (signal) => {
    if (signal.kind !== 'task' || !signal.owners.includes(ctx.principal.id)) return
    sayTask(catalog, ctx, { id: signal.taskId, canAsk: false, say })
  })
}

interface Asked {
  readonly catalog: Catalog
  readonly ctx: CallContext
}

function contextOf(
  door: Door,
  { request: { signal } }: McpExchange,
  principal: Principal,
  asked?: ExtraRequest,
) {
  return extraContext(door, { principal, signal }, asked)
}

async function answerUri(
  asked: Asked & { readonly door: Door },
  { watch }: Subscriber,
  request: ExtraRequest,
): Promise<Response> {
  const answer = await watched(watch, asked, request)
  return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } })
}

interface AskedListen extends Asked {
  readonly principal: Principal
  readonly request: ExtraRequest
  readonly subscriber: Subscriber
  ended(subscriber: Subscriber): void
}

async function openListenStream(
  options: SubscriptionsOptions,
  exchange: McpExchange,
  asked: AskedListen,
): Promise<Response> {
  const { catalog, ctx, principal, request, subscriber } = asked
  const { listens } = subscriber
  const count = listens.size + subscriber.opening
  subscriber.opening += 1
  const listen = await openListen(catalog, ctx, request, {
    count,
    say: (_key, message) => stream.notify(messageFrame(message())),
  }).finally(() => {
    subscriber.opening -= 1
  })
  let stream: NotificationStream
  try {
    stream = openNotificationStream(exchange, principal.id, {
      ...options.stream,
      finalMessage: () => listen.finalMessage,
      onClose: () => {
        listen.close()
        listens.delete(stream)
        asked.ended(subscriber)
      },
    })
  } catch (thrown) {
    listen.close()
    throw thrown
  }
  listens.add(stream)
  stream.start([messageFrame(listen.acknowledgement)])
  return exchange.alreadySent()
}
