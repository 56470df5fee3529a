type Attributes = Readonly<Record<string, string | number | boolean>>

/** The beginning of a span. Names and attributes hold names that satchel declares, never what a caller wrote. */
export interface SpanBegin {
  readonly name: string
  /** `server` for a request from outside. */
  readonly kind: 'server' | 'internal'
  readonly attributes: Attributes
  /** The trace context of the caller as W3C defines it, unchecked; without a valid one the enclosing span is the parent. */
  readonly from?: { readonly traceparent?: unknown; readonly tracestate?: unknown }
}

/** The end of a span; `error` names the kind of a failure that is the server's own. */
export interface SpanEnd {
  readonly attributes: Attributes
  readonly error?: string | undefined
}

export type Settled<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly thrown: unknown }

/** How spans are written on the wire. */
export const PROTOCOLS = ['http/protobuf', 'http/json'] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** Where the spans of a process go. */
export interface Traces {
  /** Runs `work` in a span: spans that begin in it are its children. Settles as `work` does. */
  span<T>(begin: SpanBegin, work: () => Promise<T>, endOf: (settled: Settled<T>) => SpanEnd): Promise<T>
  /** Sends what is left, within a second. Errors: none. */
  stop(): Promise<void>
}

/** Runs `work` in a span if the process has traces. */
export function inSpan<T>(
  traces: Traces | undefined,
  begin: () => SpanBegin,
  work: () => Promise<T>,
  endOf: (settled: Settled<T>) => SpanEnd,
): Promise<T> {
  return traces ? traces.span(begin(), work, endOf) : work()
}
