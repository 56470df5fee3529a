import type { Log } from '../contract/context.ts'

/** W3C trace context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Returns a log that adds the trace named in `_meta` to each line. */
export function tracedLog(log: Log, meta: Readonly<Record<string, unknown>> | undefined): Log {
  const traceparent = meta?.['traceparent']
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return log
  return {
    debug: (message, fields) => log.debug(message, { ...fields, traceparent }),
    info: (message, fields) => log.info(message, { ...fields, traceparent }),
    warn: (message, fields) => log.warn(message, { ...fields, traceparent }),
    error: (message, fields) => log.error(message, { ...fields, traceparent }),
  }
}
