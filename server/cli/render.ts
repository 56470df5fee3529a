import type { Terminal } from '../contract/advanced/command.ts'
import { errorBody, type NextStep, type SatchelError } from '../contract/errors.ts'
import { ERROR_TABLE } from '../error-table.ts'
import { isJsonObject } from '../platform/json-object.ts'
import type { OpenTerminal } from './terminal.ts'

/** Control characters that a terminal interprets, such as the start of an escape sequence. Tab and newline are kept. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Prints a result: the data as one JSON document with `--json`, otherwise its text. */
export function printResult(
  terminal: Terminal,
  result: { readonly data: unknown; readonly text: string },
): void {
  if (terminal.json) printDocument(terminal, result.data)
  else printText(terminal, result.text)
}

/** Prints one JSON document on stdout. */
export function printDocument(terminal: Terminal, document: unknown): void {
  terminal.write(`${JSON.stringify(document, undefined, 2)}\n`)
}

/** Prints text and a newline on stdout. Removes control characters on a TTY, because the text may come from another author. */
export function printText(terminal: Terminal, text: string): void {
  const shown = terminal.stdoutIsTty ? text.replace(CONTROL, '') : text
  terminal.write(shown.endsWith('\n') ? shown : `${shown}\n`)
}

/**
 * Prints an error: with `--json` the error object on stdout, otherwise on stderr one line with the next step, then,
 * indented, every list of the details that the line does not repeat: field errors, failed checks, candidates.
 * `showNext` converts a tool call to a command, or returns undefined if no verb makes the call.
 */
export async function printError(
  terminal: OpenTerminal,
  error: SatchelError,
  showNext: (next: NextStep) => string | undefined = () => undefined,
): Promise<void> {
  if (terminal.json) {
    printDocument(terminal, { error: errorBody(error) })
    return
  }
  const next = error.next && showNext(error.next)
  const logId = error.code === 'internal' ? error.details?.['log_id'] : undefined
  const more = [logId ? ` (log id ${String(logId)})` : '', next ? ` Next: ${next}` : ''].join('')
  terminal.complain(`satchel: ${oneLine(error.message)}${more}`)
  const lists = Object.entries(error.details ?? {}).filter(
    ([, value]) => Array.isArray(value) && value.length > 0 && !isSaid(value, error.message),
  )
  if (lists.length === 0) return
  const { terminalBlocks } = await import('../answer/terminal-text.ts')
  const columns = terminal.stderrIsTty ? terminal.columns : undefined
  terminal.complain(await terminalBlocks(Object.fromEntries(lists), { columns, color: false }, 2))
}

/** A JSON pointer as the command line names a field; another text as it is. */
export function fieldOf(pointer: string): string {
  return pointer.startsWith('/') ? pointer.slice(1).replaceAll('/', '.') : pointer
}

/** True for a list of one entry whose texts are all in the message. */
function isSaid([entry, ...more]: readonly unknown[], message: string): boolean {
  const texts = isJsonObject(entry) ? Object.values(entry) : [entry]
  const isIn = (text: string): boolean => message.includes(text) || message.includes(fieldOf(text))
  return more.length === 0 && texts.every((text) => isIn(String(text)))
}

/** Returns the exit code of an error (surface, section 4). */
export function exitCodeOf(error: SatchelError): number {
  return ERROR_TABLE[error.code].exit
}

/** The text as one line that a terminal shows as it is. */
export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replace(CONTROL, '')
}
