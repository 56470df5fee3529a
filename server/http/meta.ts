import * as z from 'zod'
import type { RunningHost } from '../host.ts'
import { measurementsOf } from '../measurements.ts'
import type { Metrics } from '../metrics.ts'
import { within } from '../platform/within.ts'
import type { Registry } from '../registry.ts'
import type { HostDatabase } from '../storage/database.ts'
import { storageMeasurements } from '../storage/measurements.ts'
import { refusals as storageRefusals } from '../storage/refusals.ts'
import { requireScope } from '../tokens/scopes.ts'
import type { Endpoint, HttpOptions } from './exchange.ts'
import { jsonAnswer } from './json-answer.ts'
import { refusals } from './refusals.ts'

/** A balancer asks every few seconds. */
const STORAGE_LIMIT_MS = 2_000

const ABOUT = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  endpoints: z.record(z.string(), z.string()).describe('method and path -> what it is'),
})
const HEALTH = z.object({ status: z.literal('healthy'), version: z.string() })
const READINESS = z.object({
  status: z.literal('ready'),
  version: z.string(),
  loop_delay_ms: z
    .object({ p50: z.number(), p99: z.number(), max: z.number() })
    .optional()
    .describe('delay of the event loop in the last minute'),
  storage: z.looseObject({}).optional().describe('the database, where there is one'),
})

/** Returns `GET /`, `/health` and `/ready` of the API. `endpoints` maps method and path to a line; called at each `GET /`. */
export function metaEndpoints(
  host: RunningHost,
  options: HttpOptions,
  endpoints: () => readonly Endpoint[],
): Endpoint[] {
  const { version, description } = options
  const about = (): unknown => ({
    name: 'satchel',
    version,
    description,
    endpoints: Object.fromEntries(
      endpoints()
        .filter(({ asset }) => !asset)
        .map(({ method, path, summary }) => [method === 'ALL' ? path : `${method} ${path}`, summary]),
    ),
  })
  return [
    meta('/', 'What this server is and serves', ABOUT, async () => about()),
    meta('/health', 'Health check', HEALTH, async () => ({ status: 'healthy', version })),
    meta('/ready', 'Whether it answers calls', READINESS, () => readiness(host, options)),
    ...(options.metrics ? [metricsEndpoint(options.metrics, host, options)] : []),
  ]
}

/** Errors: `unavailable`/`stopping` while the server drains; those of the database, which is asked for 2 s. */
async function readiness(
  { database, registry }: RunningHost,
  { version, loopDelay, isDraining }: HttpOptions,
) {
  if (isDraining?.()) throw refusals.stopping()
  return {
    status: 'ready',
    version,
    ...(loopDelay && { loop_delay_ms: loopDelay() }),
    ...(database && {
      storage: { ...(await database.check(STORAGE_LIMIT_MS)), ...(await behind(registry, database)) },
    }),
  }
}

/** How far what this machine keeps of each store is behind the database; nothing where no store keeps anything. */
async function behind({ instances }: Pick<Registry, 'instances'>, { place }: Pick<HostDatabase, 'place'>) {
  const late = () => storageRefusals.storage_busy({ place, fault: 'no answer in time' })
  const lags = await within(STORAGE_LIMIT_MS, late, () =>
    Promise.all(
      instances.map(async ({ instance: { database: store } }) =>
        store?.lag ? [[store.name, await store.lag()] as const] : [],
      ),
    ),
  )
  const found = lags.flat()
  return found.length === 0 ? {} : { behind: Object.fromEntries(found) }
}

const OPENMETRICS = 'application/openmetrics-text'

function metricsEndpoint(metrics: Metrics, host: RunningHost, { pump, loopDelay }: HttpOptions): Endpoint {
  return {
    method: 'GET',
    path: '/metrics',
    guard: 'caller',
    owner: 'host',
    summary: 'Counts and times of this server, in the format of OpenMetrics',
    operation: { id: 'metrics', mediaType: OPENMETRICS },
    async serve(_exchange, { principal }) {
      if (principal) requireScope(principal, undefined, 'read')
      const own = storageMeasurements(host.database?.counts())
      const measurements = [...own, ...(await measurementsOf(host.registry, host.log))]
      const gauges = { streams: pump?.size ?? 0, loopDelay: loopDelay?.(), measurements }
      return new Response(metrics.text(gauges), {
        headers: {
          'content-type': `${OPENMETRICS}; version=1.0.0; charset=utf-8`,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        },
      })
    },
  }
}

function meta(
  path: `/${string}`,
  summary: string,
  schema: z.ZodObject,
  answer: () => Promise<unknown>,
): Endpoint {
  return {
    method: 'GET',
    path,
    guard: 'caller',
    owner: 'host',
    summary,
    operation: { answer: schema },
    serve: async () => jsonAnswer(await answer()),
  }
}
