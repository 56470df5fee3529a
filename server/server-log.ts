import type { Writable } from 'node:stream'
import type { Log } from './contract/context.ts'
import { createLog, LOG_LEVELS, type LogLevel } from './log.ts'

/** The output, environment and clock of a log. */
export interface LogPlace {
  readonly stderr: Pick<Writable, 'write'>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}

/** The log of a server, whose level may change when the configuration is read. */
export interface ServerLog extends Log {
  setLevel(level: LogLevel): void
}

/** Creates the log of one verb: `SERVER_LOG_LEVEL`, otherwise warnings and errors only. */
export function verbLog(place: LogPlace): Log {
  return logAt(place, envLevel(place) ?? 'warning')
}

/** Creates the log of a server: `SERVER_LOG_LEVEL`, otherwise `info`, until the configuration sets the level. */
export function serverLog(place: LogPlace): ServerLog {
  let log = logAt(place, envLevel(place) ?? 'info')
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
    setLevel(level) {
      log = logAt(place, level)
    },
  }
}

function logAt({ stderr, now }: LogPlace, level: LogLevel): Log {
  return createLog(level, (line) => stderr.write(line), now)
}

function envLevel({ env }: LogPlace): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === env['SERVER_LOG_LEVEL'])
}
