import type { Terminal } from '../contract/advanced/command.ts'
import { errorBody, type NextStep, type SatchelError } from '../contract/errors.ts'
import { ERROR_TABLE } from '../error-table.ts'
import type { OpenTerminal } from './terminal.ts'

/** Everything a terminal could act on: escape sequences start with one of these. Tab and newline stay. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Prints a result: with `--json` the data as one document, otherwise its text. */
export function printResult(
  terminal: Terminal,
  result: { readonly data: unknown; readonly text: string },
): void {
  if (terminal.json) printDocument(terminal, result.data)
  else printText(terminal, result.text)
}

/** One JSON document on stdout. */
export function printDocument(terminal: Terminal, document: unknown): void {
  terminal.write(`${JSON.stringify(document, undefined, 2)}\n`)
}

/** Text on stdout, ended by a newline. On a TTY it cannot hold control characters: the text may be somebody else's. */
export function printText(terminal: Terminal, text: string): void {
  const shown = terminal.stdoutIsTty ? text.replace(CONTROL, '') : text
  terminal.write(shown.endsWith('\n') ? shown : `${shown}\n`)
}

/**
 * Prints an error: with `--json` the error object on stdout, otherwise one line on stderr with the next step.
 * `showNext` turns a tool call into what to type; undefined where the command line has no such verb.
 */
export function printError(
  terminal: OpenTerminal,
  error: SatchelError,
  showNext: (next: NextStep) => string | undefined = () => undefined,
): void {
  if (terminal.json) {
    printDocument(terminal, { error: errorBody(error) })
    return
  }
  const next = error.next && showNext(error.next)
  const logId = error.code === 'internal' ? error.details?.['log_id'] : undefined
  const more = [logId ? ` (log id ${String(logId)})` : '', next ? ` Next: ${next}` : ''].join('')
  terminal.complain(`satchel: ${oneLine(error.message)}${more}`)
}

/** The exit code of an error (surface, section 4). */
export function exitCodeOf(error: SatchelError): number {
  return ERROR_TABLE[error.code].exit
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replace(CONTROL, '')
}
