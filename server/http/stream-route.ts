import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { asCallerError, authorize } from '../call.ts'
import type { Principal } from '../contract/advanced/principal.ts'
import type { Reading, Stream } from '../contract/advanced/stream.ts'
import type { CallContext } from '../contract/context.ts'
import { openEventStream } from '../fanout/event-stream.ts'
import type { RunningHost } from '../host.ts'
import { labelledLog } from '../plugin-log.ts'
import {
  callContext,
  type Endpoint,
  type Exchange,
  type HttpOptions,
  onlyParameter,
  requireKnownQuery,
} from './exchange.ts'
import { admitAgain } from './guard.ts'
import { refusals } from './refusals.ts'
import type { StreamPlaces } from './stream-places.ts'

/** The query parameter of the cursor; see `cursorOf`. */
const CURSOR_PARAMETERS = [
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'Only what came after this event; counts before since_event_id.',
    schema: { type: 'string' },
  },
  {
    name: 'since_event_id',
    in: 'query',
    required: false,
    description: 'Only what came after this event; absent: from the first that is kept.',
    schema: { type: 'string' },
  },
] as const

/** What a stream may be asked with; `expects` is read with the credentials. */
const QUERY = ['since_event_id', 'expects']

/** Creates the endpoint of a plugin's feed. The caller is checked before the first byte and again at each heartbeat. */
export function streamEndpoint(
  host: RunningHost,
  owned: { readonly stream: Stream; readonly plugin: string },
  places: StreamPlaces,
  options: HttpOptions,
): Endpoint {
  const { stream, plugin } = owned
  return {
    method: 'GET',
    path: stream.path,
    guard: stream.guard,
    owner: plugin,
    summary: `The stream ${stream.name}`,
    streams: true,
    operation: { parameters: CURSOR_PARAMETERS },
    async serve(exchange, caller) {
      const own = { ...exchange, log: labelledLog(exchange.log, { plugin }) }
      const ctx = callContext(own, caller.principal ?? anyone(plugin), options)
      authorize({ plugin, tool: stream }, ctx.principal)
      requireKnownQuery(exchange, QUERY)
      places.requireOne()
      const check = async (): Promise<void> => {
        await admitAgain(caller, host, options)
        await stream.check?.(ctx)
      }
      await openReading(exchange, { stream, ctx, check, places, options })
      return RESPONSE_ALREADY_SENT
    },
  }
}

/** The anonymous caller behind the guard `open`, without capabilities. */
function anyone(plugin: string): Principal {
  return { id: 'anyone', kind: 'session', plugin, capabilities: [] }
}

interface Opening {
  readonly stream: Stream
  readonly ctx: CallContext
  readonly check: () => Promise<void>
  readonly places: StreamPlaces
  readonly options: HttpOptions
}

async function openReading(
  exchange: Exchange,
  { stream, ctx, check, places, options }: Opening,
): Promise<void> {
  let reading: Reading | undefined
  const events = openEventStream(exchange.outgoing, {
    pump: places.pump,
    onLag: () => reading?.onLag(),
    check,
    onClose: () => {
      places.leave(events)
      reading?.close()
    },
    onError: (thrown) => asCallerError(thrown, ctx, `replay of ${stream.name}`),
    ...(options.after && { after: options.after }),
  })
  places.take(events)
  try {
    reading = await stream.open(ctx, cursorOf(exchange), events)
  } catch (thrown) {
    events.abandon()
    throw thrown
  }
  if (events.isClosed()) {
    reading.close()
    throw refusals.disconnected()
  }
  const { retryMs } = stream
  events.start({ replay: reading.replay, ...(retryMs !== undefined && { retryMs }) })
}

function cursorOf(exchange: Exchange): string | undefined {
  const header = exchange.incoming.headers['last-event-id']
  const since = onlyParameter(exchange, 'since_event_id')
  return typeof header === 'string' ? header : since
}
