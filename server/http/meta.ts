import type { RunningHost } from '../host.ts'
import { measurementsOf } from '../measurements.ts'
import type { Metrics } from '../metrics.ts'
import { requireScope } from '../tokens/scopes.ts'
import type { Endpoint, HttpOptions } from './exchange.ts'
import { jsonAnswer } from './json-answer.ts'

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
    meta('/', 'What this server is and serves', about),
    meta('/health', 'Health check', () => ({ status: 'healthy', version })),
    meta('/ready', 'Whether it answers calls', () => ({
      status: 'ready',
      version,
      ...(options.loopDelay && { loop_delay_ms: options.loopDelay() }),
    })),
    ...(options.metrics ? [metricsEndpoint(options.metrics, host, options)] : []),
  ]
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
      const measurements = await measurementsOf(host.registry, host.log)
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

function meta(path: `/${string}`, summary: string, answer: () => unknown): Endpoint {
  return {
    method: 'GET',
    path,
    guard: 'caller',
    owner: 'host',
    summary,
    serve: async () => jsonAnswer(answer()),
  }
}
