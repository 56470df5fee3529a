/** Reads what a verb's positional argument names; exists at the command line only. */
export interface TypedFiles {
  /** Text of a file, or of standard input for `-`. Errors: `not_found`/`file_not_found`, `invalid`/`not_utf8`. */
  readText(path: string): Promise<string>
  exists(path: string): Promise<boolean>
}

/** The rarer members of a `Verb`. */
export interface VerbOptions {
  /** Input field -> long flag, where kebab-case of the field is not the name (`include_tags`: `include-tags` needs none). */
  readonly long?: Readonly<Record<string, string>>
  /** Input that this verb fixes: `{ relation: 'fork' }`. Fixed fields have no flag. */
  readonly preset?: Readonly<Record<string, unknown>>
  /** Turns the typed values into the tool's input, where a positional is no input field (FILE or ID). Typed names that are no input field reach only this function. */
  arrange?(typed: Readonly<Record<string, unknown>>, files: TypedFiles): Promise<Record<string, unknown>>
  /** Output text written to the file of `-o/--output`: how to get it from the answer. Without it the verb has no `-o`. */
  save?(output: unknown): string
  /** What a person sees instead of the digest, where the answer is a text of its own: a brief, an export. Undefined: the digest. */
  print?(output: unknown): string | undefined
}
