/** Reads files named on the command line. */
export interface TypedFiles {
  /** Text of a file, or of standard input for `-`. Errors: `not_found`/`file_not_found`, `invalid`/`not_utf8`. */
  readText(path: string): Promise<string>
  exists(path: string): Promise<boolean>
}

/** Values that exist: those that a resource template offers for one of its variables. */
export interface Completed {
  /** URI of a resource template of the same plugin. */
  readonly resource: string
  readonly variable: string
}

/** The values that exist and could follow `typed`, the beginning of a word in a shell whose working directory is `cwd`. */
export type Completer = (typed: string, cwd: string) => Promise<readonly string[]>

/** The tool that runs instead of the verb's own when a flag is given. */
export interface InsteadTool {
  /** Name of a tool of the same plugin, with one verb of its own by which its answer is printed. */
  readonly tool: string
  /** Help of the flag. */
  readonly description: string
}

/** The rarer members of a `Verb`. */
export interface VerbOptions {
  /** Positional that is not an input field -> its text in the help. */
  readonly arguments?: Readonly<Record<string, string>>
  /** Positional that is not an input field -> the input field that can be typed in its place. */
  readonly standsFor?: Readonly<Record<string, string>>
  /** Positional or input field -> what a shell completes it with. */
  readonly completes?: Readonly<Record<string, Completed>>
  /** Help of this verb, where the tool's title and description speak of several: one line, then sentences. */
  readonly title?: string
  readonly description?: string
  /** An example command line, where the example of the tool cannot be typed as arguments. */
  readonly example?: string
  /** Input field -> long flag, if the flag is not the field in kebab-case. */
  readonly long?: Readonly<Record<string, string>>
  /** Flag, one word -> the tool that runs instead. It gets those of the typed fields that it has. */
  readonly instead?: Readonly<Record<string, InsteadTool>>
  /** Fixed input of this verb: `{ relation: 'fork' }`. Fixed fields have no flag. */
  readonly preset?: Readonly<Record<string, unknown>>
  /** Builds the tool's input from the typed values if a positional is not an input field (FILE or ID). */
  arrange?(typed: Readonly<Record<string, unknown>>, files: TypedFiles): Promise<Record<string, unknown>>
  /** Returns the text that `-o/--output` writes to a file. Without it the verb has no `-o`. */
  save?(output: unknown): string
  /** Returns what to print as tables and lines instead of all members, such as shorter rows. */
  view?(output: unknown): Readonly<Record<string, unknown>>
  /** Returns the text to print instead of the answer, such as an export. Undefined: print the answer. */
  print?(output: unknown): string | undefined
}
