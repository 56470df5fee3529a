import type { Log } from './contract/context.ts'
import { isSecretName, redactText } from './redaction.ts'

/** The levels of `SERVER_LOG_LEVEL`, most important first (spec module-ingestion, "Runtime settings"). */
export const LOG_LEVELS = ['critical', 'error', 'warning', 'info', 'debug', 'trace'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type Fields = Readonly<Record<string, unknown>>

const LONGEST_VALUE = 4000
const MAX_CAUSES = 5

/** Creates a log that writes one JSON line per entry at or above `level`, with secrets redacted by name and by shape. */
export function createLog(level: LogLevel, write: (line: string) => void, now: () => Date): Log {
  const loudest = LOG_LEVELS.indexOf(level)
  const entry =
    (at: LogLevel) =>
    (message: unknown, fields: Fields = {}) => {
      if (LOG_LEVELS.indexOf(at) > loudest) return
      const line = {
        time: now().toISOString(),
        level: at,
        message: shown(textOf(message)),
        ...redactFields(fields),
      }
      write(`${JSON.stringify(line)}\n`)
    }
  return { debug: entry('debug'), info: entry('info'), warn: entry('warning'), error: entry('error') }
}

/** A plugin in JavaScript may log anything, such as what it caught. */
function textOf(message: unknown): string {
  if (typeof message === 'string') return message
  const given = readable(() => thrown(message))
  return typeof given === 'string' ? given : JSON.stringify(given)
}

function redactFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(fields).map((name) => [
      name,
      isSecretName(name)
        ? '[redacted]'
        : readable(() => (name === 'error' ? thrown(fields[name]) : fields[name])),
    ]),
  )
}

/** Anything can be thrown: nothing at all is named, because JSON would leave it out. */
function thrown(error: unknown): unknown {
  return error === undefined ? 'undefined' : error
}

/** A plugin may log or throw what throws when it is read; the line of the log is written anyway. */
function readable(value: () => unknown): unknown {
  try {
    return plain(value(), 0)
  } catch {
    return '[unreadable]'
  }
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shown(value)
  if (value instanceof Error) return shown(errorText(value))
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return '[function]' // one named toJSON would be called
  if (typeof value !== 'object' || value === null) return value
  if (depth > 4) return '[deep]'
  if (Array.isArray(value)) return value.slice(0, 50).map((entry) => plain(entry, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([name, entry]) => [name, isSecretName(name) ? '[redacted]' : plain(entry, depth + 1)]),
  )
}

/** An error may be its own cause. */
function errorText(error: Error): string {
  const texts: string[] = []
  for (let each: unknown = error; each instanceof Error && texts.length <= MAX_CAUSES; each = each.cause)
    texts.push(String(each.stack ?? `${each.name}: ${each.message}`))
  return texts.join('\ncaused by ')
}

function shown(text: string): string {
  return redactText(text.slice(0, LONGEST_VALUE))
}
