import type { Log } from './contract/context.ts'

/** Levels as `SERVER_LOG_LEVEL` names them, most important first (spec module-ingestion, "Runtime settings"). */
export const LOG_LEVELS = ['critical', 'error', 'warning', 'info', 'debug', 'trace'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type Fields = Readonly<Record<string, unknown>>

/** Field names whose values never reach a log. */
const SECRET_NAME = /secret|token|password|passwd|authorization|cookie|api_?key|bearer|credential/i
const URL_USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi
const BEARER = /\b(bearer\s+|ses_)[A-Za-z0-9._~+/=-]{8,}/gi
const LONGEST_VALUE = 4000

/** A log that writes one JSON line per entry at or above `level` to `write`, with secrets redacted by name and by shape. */
export function createLog(level: LogLevel, write: (line: string) => void, now: () => Date): Log {
  const loudest = LOG_LEVELS.indexOf(level)
  const entry =
    (at: LogLevel) =>
    (message: string, fields: Fields = {}) => {
      if (LOG_LEVELS.indexOf(at) > loudest) return
      const line = {
        time: now().toISOString(),
        level: at,
        message: redactText(message),
        ...redactFields(fields),
      }
      write(`${JSON.stringify(line)}\n`)
    }
  return { debug: entry('debug'), info: entry('info'), warn: entry('warning'), error: entry('error') }
}

function redactFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      SECRET_NAME.test(name) ? '[redacted]' : plain(value, 0),
    ]),
  )
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value instanceof Error) return redactText(errorText(value))
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > 4) return '[deep]'
  if (Array.isArray(value)) return value.slice(0, 50).map((entry) => plain(entry, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([name, entry]) => [name, SECRET_NAME.test(name) ? '[redacted]' : plain(entry, depth + 1)]),
  )
}

function errorText(error: Error): string {
  const text = error.stack ?? `${error.name}: ${error.message}`
  return error.cause instanceof Error ? `${text}\ncaused by ${errorText(error.cause)}` : text
}

function redactText(text: string): string {
  return text.slice(0, LONGEST_VALUE).replace(URL_USER_INFO, '$1[redacted]@').replace(BEARER, '[redacted]')
}
