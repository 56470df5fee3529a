import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  DiagLogLevel,
  diag,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Log } from './contract/context.ts'
import { within } from './platform/within.ts'
import type { Protocol, Settled, SpanBegin, Traces } from './traces.ts'
import { VERSION } from './version.ts'

/** Time for the last spans to be sent when the process stops. */
const FLUSH_LIMIT_MS = 1_000

const EXPORTERS: Readonly<Record<Protocol, () => Promise<SpanExporter>>> = {
  'http/protobuf': async () => {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
    return new OTLPTraceExporter()
  },
  'http/json': async () => {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
    return new OTLPTraceExporter()
  },
}

/**
 * Starts to send spans over OTLP. Sampler, limits, batches, headers, time limits and the resource are those of the
 * `OTEL_*` variables of the process, which the packages of OpenTelemetry read by themselves.
 */
export async function startTraces(protocol: Protocol, log: Log): Promise<Traces> {
  reportTo(log)
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'satchel', 'service.version': VERSION }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(await EXPORTERS[protocol]())],
  })
  const tracer = provider.getTracer('satchel', VERSION)
  const active = new AsyncLocalStorage<Context>()
  return {
    async span(begin, work, endOf) {
      const { parent, links } = placeOf(begin, active.getStore())
      const kind = begin.kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL
      const span = tracer.startSpan(begin.name, { kind, attributes: begin.attributes, links }, parent)
      const settled = await settle(() => active.run(trace.setSpan(parent, span), work))
      const { attributes, error } = endOf(settled)
      span.setAttributes(attributes)
      if (error !== undefined)
        span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
      span.end()
      if (settled.kind === 'refused') throw settled.thrown
      return settled.value
    },
    async stop() {
      const late = () => new Error(`the collector took longer than ${FLUSH_LIMIT_MS} ms`)
      try {
        await within(FLUSH_LIMIT_MS, late, () => provider.shutdown())
      } catch (error) {
        lost(log, error)
      }
    },
  }
}

/** A caller's own trace is the parent, and the span around it, of the request that carried it, is linked. */
function placeOf({ from }: SpanBegin, around: Context | undefined): { parent: Context; links: Link[] } {
  const sent = from && contextOf(from)
  if (!sent) return { parent: around ?? ROOT_CONTEXT, links: [] }
  const enclosing = around && trace.getSpanContext(around)
  return { parent: sent, links: enclosing ? [{ context: enclosing }] : [] }
}

const propagator = new W3CTraceContextPropagator()

function contextOf(from: NonNullable<SpanBegin['from']>): Context | undefined {
  const sent = propagator.extract(ROOT_CONTEXT, from, {
    keys: (carrier) => Object.keys(carrier),
    get: (carrier: Readonly<Record<string, unknown>>, key) => {
      const value = carrier[key]
      return typeof value === 'string' ? value : undefined
    },
  })
  return trace.getSpanContext(sent) && sent
}

async function settle<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { kind: 'answered', value: await work() }
  } catch (thrown) {
    return { kind: 'refused', thrown }
  }
}

/** Problems of OpenTelemetry are lines of the log; a collector that cannot be reached is one line. */
function reportTo(log: Log): void {
  setGlobalErrorHandler((error) => lost(log, error))
  const told = new Set<string>()
  const warn = (...said: readonly unknown[]): void => {
    const message = said.filter((one) => typeof one === 'string').join(': ')
    if (told.has(message) || told.size >= 20) return
    told.add(message)
    log.warn('OpenTelemetry', { message })
  }
  const nothing = (): void => undefined
  diag.setLogger(
    { error: warn, warn, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

const logsThatKnow = new WeakSet<Log>()

function lost(log: Log, error: unknown): void {
  if (logsThatKnow.has(log)) return
  logsThatKnow.add(log)
  // Without the answer of the collector, which the error may hold.
  const { message, code } = error as { readonly message?: unknown; readonly code?: unknown } // read as unknown only
  log.warn('traces could not be sent; this is reported once', {
    cause: String(message ?? ''),
    ...(code !== undefined && { code }),
  })
}
