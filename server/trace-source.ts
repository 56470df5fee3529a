import type { Log } from './contract/context.ts'
import { PROTOCOLS, type Protocol, type Traces } from './traces.ts'

type Env = Readonly<Record<string, string | undefined>>

export type TraceChoice =
  | { readonly kind: 'off' }
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'on'; readonly protocol: Protocol }

/** Reads from the standard variables of OpenTelemetry whether and how spans are sent. An empty variable is as none. */
export function traceChoice(env: Env): TraceChoice {
  const read = (...names: readonly string[]): string | undefined =>
    names.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== '')
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined || read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return { kind: 'off' }
  const exporters = (read('OTEL_TRACES_EXPORTER') ?? 'otlp').split(',').map((name) => name.trim())
  if (exporters.includes('none')) return { kind: 'off' }
  if (!exporters.includes('otlp')) return unusable('OTEL_TRACES_EXPORTER must be otlp or none')
  // The exporter would send to its own default instead.
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint))
    return unusable('the OTLP endpoint must be a URL that starts with http:// or https://')
  const wanted = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf'
  const protocol = PROTOCOLS.find((one) => one === wanted)
  return protocol ? { kind: 'on', protocol } : unusable(`the OTLP protocol must be ${PROTOCOLS.join(' or ')}`)
}

function unusable(why: string): TraceChoice {
  return { kind: 'unusable', why }
}

/** The traces of a process, opened when its first host is created. Owned by `run`, which closes it. */
export interface TraceSource {
  /** Errors: none; traces that cannot be opened are logged, and the process goes on without them. */
  open(log: Log): Promise<Traces | undefined>
  close(): Promise<void>
}

/** Nothing of OpenTelemetry is loaded unless the environment asks for it. */
export function createTraceSource(env: Env): TraceSource {
  let opening: Promise<Traces | undefined> | undefined
  return {
    open(log) {
      opening ??= openTraces(env, log)
      return opening
    },
    async close() {
      await (await opening)?.stop()
    },
  }
}

async function openTraces(env: Env, log: Log): Promise<Traces | undefined> {
  const choice = traceChoice(env)
  if (choice.kind === 'off') return undefined
  if (choice.kind === 'unusable') {
    log.warn('no traces are sent', { why: choice.why })
    return undefined
  }
  try {
    const { startTraces } = await import('./traces.lazy.ts')
    return await startTraces(choice.protocol, log)
  } catch (error) {
    log.warn('no traces are sent', { error })
    return undefined
  }
}
