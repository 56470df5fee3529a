import type { Log } from './contract/context.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns a log whose lines carry these fields, such as the plugin that writes them and the tool whose call it is. */
export function labelledLog(log: Log, labels: Readonly<Record<string, string>>): Log {
  return {
    debug: (message, fields) => log.debug(message, labelled(labels, fields)),
    info: (message, fields) => log.info(message, labelled(labels, fields)),
    warn: (message, fields) => log.warn(message, labelled(labels, fields)),
    error: (message, fields) => log.error(message, labelled(labels, fields)),
  }
}

/** The labels come first and replace fields of the same name. */
function labelled(labels: Fields, fields: Fields | undefined): Fields {
  try {
    return { ...labels, ...fields, ...labels }
  } catch {
    return labels // fields that throw when they are read must not fail the call that logs them
  }
}
