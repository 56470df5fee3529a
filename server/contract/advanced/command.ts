import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Log } from '../context.ts'

/** The terminal a command talks to. stdout carries only the result asked for, everything else is stderr. */
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
  /** Writes to stdout as it is; no newline is added. */
  write(text: string): void
  /** One note line on stderr, unless quiet. */
  note(line: string): void
}

/** What a command may know and use. */
export interface CommandContext {
  readonly log: Log
  /** Aborts on SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
  readonly projectRoot: string
}

/** A verb that needs a process of its own: open a room, run a hook, a bench, a torture run. */
export interface Command<I extends z.ZodObject = z.ZodObject> {
  readonly cli: string
  readonly title: string
  readonly description: string
  readonly positional?: readonly string[]
  readonly short?: Readonly<Record<string, string>>
  readonly input: I
  /** One line as it would be typed, shown in `--help`. */
  readonly example: string
  /** Gives the exit code. Errors: a `SatchelError` becomes its code's exit number. */
  run(ctx: CommandContext, input: z.output<I>, terminal: Terminal): Promise<number>
}

/** The identity, for inference. */
export function defineCommand<I extends z.ZodObject>(command: Command<I>): Command<I> {
  return command
}
