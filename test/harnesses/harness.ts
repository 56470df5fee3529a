import type { ScriptedCall } from './stub-model.ts'

/** A program as a configuration of MCP servers names it. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** Where one run of a harness takes place. */
export interface Stage {
  /** The folder that holds the installed `node_modules`. */
  readonly installed: string
  /** An empty folder: the home and the temporary folder of the harness. */
  readonly home: string
  readonly project: string
  /** `http://127.0.0.1:PORT` of the model. */
  readonly url: string
  readonly servers: Readonly<Record<'satchel' | 'marks', ServerCommand>>
  /** A shell command that is the hook of satchel at the start of a session. */
  readonly startHook: string
}

/** What to start. */
export interface HarnessProcess {
  /** Absent: Node. */
  readonly program?: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A package of npm with a program of the lab. */
interface InstalledProgram {
  readonly name: string
  readonly package: string
  readonly version: string
  /** Version of Node that runs it; absent: the one that runs the lab. */
  readonly node?: string
  /** Files of the home, by path from it: text, or what is written as JSON. */
  files(stage: Stage): Readonly<Record<string, string | object>>
}

/** A program that runs a model with tools: one prompt without a terminal plays the whole script. */
export interface Harness extends InstalledProgram {
  /** Why hooks are not measured; absent: its configuration has one at the start of a session. */
  readonly withoutHooks?: string
  process(stage: Stage): HarnessProcess
}

/** A client without a model: each run makes one call and prints what a model would be given. */
export interface PlainClient extends InstalledProgram {
  call(stage: Stage, call: ScriptedCall): HarnessProcess
}

/** What any run asks the model for; the script decides what happens. */
export const PROMPT = 'Continue the work.'

/** The hooks of a configuration, in the shape that several harnesses share. */
export function startHooks({ startHook }: Stage, harness: string): object {
  const command = `${startHook} --harness ${harness}`
  return { SessionStart: [{ hooks: [{ type: 'command', command }] }] }
}
