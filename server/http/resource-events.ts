import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Principal } from '../contract/advanced/principal.ts'
import { type EventStream, openEventStream } from '../fanout/event-stream.ts'
import { mayRead, type RunningHost } from '../host.ts'
import type { Signal } from '../hub.ts'
import { matchUri } from '../platform/uri-match.ts'
import { type Endpoint, type Exchange, type HttpOptions, queryOf, requireKnownQuery } from './exchange.ts'
import { admitAgain } from './guard.ts'
import { refusals } from './refusals.ts'
import type { StreamPlaces } from './stream-places.ts'

const MAX_TOPICS = 32
const MAX_TOPIC_CHARS = 2048
const RESYNC = Buffer.from('event: resync\ndata: {"reason":"lagged"}\n\n')

const TOPICS_PARAMETER = {
  name: 'topics',
  in: 'query',
  required: false,
  description: `Only resources whose URI begins with one of these, at most ${MAX_TOPICS}; absent: all.`,
  style: 'form',
  explode: false, // one parameter, comma-separated
  schema: { type: 'array', maxItems: MAX_TOPICS, items: { type: 'string', maxLength: MAX_TOPIC_CHARS } },
} as const

interface Reader {
  readonly topics: readonly string[]
  readonly principal: Principal
  readonly events: EventStream
  /** Checks again that the caller may read. */
  check(): Promise<void>
}

/**
 * `GET /events?topics=`: one `resource` event per changed resource that the caller may read; `topics` are URI
 * prefixes, absent = all (surface, section 6). A slow reader gets one `resync` and must read its resources again.
 */
export function resourceEventsEndpoint(
  host: RunningHost,
  places: StreamPlaces,
  options: HttpOptions,
): Endpoint {
  const readers = new Set<Reader>()
  const publish = publisher(host, readers)
  let stopListening: (() => void) | undefined

  const leave = (reader: Reader): void => {
    readers.delete(reader)
    if (readers.size > 0) return
    stopListening?.()
    stopListening = undefined
  }
  return {
    method: 'GET',
    path: '/events',
    guard: 'caller',
    owner: 'host',
    summary: 'Which resources changed',
    streams: true,
    operation: { parameters: [TOPICS_PARAMETER] },
    async serve(exchange, caller) {
      const { principal } = caller
      if (principal === undefined) throw new TypeError('the guard "caller" always names a principal')
      const topics = topicsOf(exchange)
      places.requireOne()
      const check = (): Promise<void> => admitAgain(caller, host, options)
      const events = openEventStream(exchange.outgoing, {
        pump: places.pump,
        onLag: () => RESYNC,
        check,
        onClose: () => {
          places.leave(events)
          leave(reader)
        },
        ...(options.after && { after: options.after }),
      })
      const reader = { topics, principal, events, check }
      readers.add(reader)
      places.take(events)
      stopListening ??= host.hub.on('*', publish)
      events.start()
      return RESPONSE_ALREADY_SENT
    },
  }
}

/** Offers one Buffer to all readers that may and want to see the event. */
function publisher(host: RunningHost, readers: ReadonlySet<Reader>): (signal: Signal) => void {
  return (signal) => {
    if (signal.kind === 'caller') lookAgain(readers, signal.principalId)
    if (signal.kind !== 'resource') return
    const owner = host.registry.resources.find(({ resource }) => matchUri(resource.uri, signal.uri))
    if (owner === undefined) return
    const frame = Buffer.from(`event: resource\ndata: ${JSON.stringify({ uri: signal.uri })}\n\n`)
    for (const { topics, principal, events } of readers) {
      const wanted = topics.length === 0 || topics.some((topic) => signal.uri.startsWith(topic))
      if (wanted && mayRead(owner, principal)) events.offer(frame)
    }
  }
}

/** Ends the streams of a caller that lost its rights. */
function lookAgain(readers: ReadonlySet<Reader>, principalId: string): void {
  for (const { principal, events, check } of readers) {
    if (principal.id === principalId) check().catch(() => events.end())
  }
}

function topicsOf(exchange: Exchange): readonly string[] {
  requireKnownQuery(exchange, [TOPICS_PARAMETER.name])
  const topics = queryOf(exchange)
    .getAll('topics')
    .flatMap((list) => list.split(','))
    .filter((topic) => topic !== '')
  if (topics.length <= MAX_TOPICS && topics.every((topic) => topic.length <= MAX_TOPIC_CHARS)) return topics
  throw refusals.invalid_arguments(
    { count: MAX_TOPICS, chars: MAX_TOPIC_CHARS },
    { errors: [{ pointer: '/topics', message: 'too many or too long' }] },
  )
}
