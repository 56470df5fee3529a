import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Log } from '../context.ts'
import type { Completer } from './verb.ts'

/** The terminal of a command. stdout carries only the result, stderr everything else. */
export interface Terminal {
  readonly stdin: Readable
  readonly stdinIsTty: boolean
  readonly stdoutIsTty: boolean
  readonly stderrIsTty: boolean
  readonly columns: number
  readonly color: boolean
  /** `--json`: the result is exactly one JSON document. */
  readonly json: boolean
  /** `--quiet`: no notes on stderr. */
  readonly quiet: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes text to stdout without adding a newline. */
  write(text: string): void
  /** Resolves when all output has left the process; false if it could not: the pipe is closed, or the disk full. */
  flush(): Promise<boolean>
  /** Prints a result: one JSON document with `--json`, otherwise the headline and the data for a person. */
  answer(headline: string, data: Readonly<Record<string, unknown>>): Promise<void>
  /** Writes one line on stderr, unless quiet. */
  note(line: string): void
}

/** The context of one command. */
export interface CommandContext {
  readonly log: Log
  /** Aborts on SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
  readonly projectRoot: string
}

/** A verb that needs a process of its own, such as a hook or a server. */
export interface Command<I extends z.ZodObject = z.ZodObject> {
  readonly cli: string
  readonly title: string
  readonly description: string
  readonly positional?: readonly string[]
  readonly short?: Readonly<Record<string, string>>
  readonly input: I
  /** Positional or input field -> what a shell completes it with. */
  readonly completes?: Readonly<Record<string, Completer>>
  /** An example command line, shown in `--help`. */
  readonly example: string
  /** Returns the exit code. Errors: a `SatchelError` ends with the exit code of its code. */
  run(ctx: CommandContext, input: z.output<I>, terminal: Terminal): Promise<number>
}

/** Returns the command unchanged, for type inference. */
export function defineCommand<I extends z.ZodObject>(command: Command<I>): Command<I> {
  return command
}
