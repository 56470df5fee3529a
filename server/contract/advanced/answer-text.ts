/** How the answer of a tool becomes text for a model, where the usual way does not fit. */
export interface AnswerTextOptions {
  /** Its text at MCP is the data as JSON and nothing else, for clients that parse it; the tool keeps to the bounds itself. */
  readonly textIsJson?: true
  /** Maximum length of the answer in characters if it can exceed 50,000 (at most 500,000). */
  readonly maxResultChars?: number
  /** Maximum size of one page of the answer at MCP in tokens where the call has no `max_tokens`; absent: the setting. */
  readonly answerTokens?: number
  /**
   * Members that the text leaves out -> why, such as a hash or what another member says. A `*` in a path is any
   * member or entry. The text says everything else that the data says.
   */
  readonly omits?: Readonly<Record<`/${string}`, string>>
  /**
   * Members that hold values of a program, such as the default of an input: the text writes them as JSON, so that it tells
   * `null`, `{}` and `[]` apart. Each with the member beside it which says that it is the text of an expression.
   */
  readonly literals?: Readonly<Record<`/${string}`, string>>
}
