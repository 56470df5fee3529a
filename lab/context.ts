import type { World } from '../server/cli/world.ts'
import type { Log } from '../server/contract/context.ts'

/** What a measurement or a crash test needs of the process it runs in. */
export interface LabContext {
  /** How this program was started: command and arguments before the verb. */
  readonly program: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly log: Log
  /** One line on stderr. */
  note(line: string): void
}

export function labContext({ terminal, signal, doors }: World): LabContext {
  return {
    program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    env: terminal.env,
    signal,
    log: doors.log(),
    note: (line) => terminal.note(line),
  }
}
