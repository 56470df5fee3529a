/** The text of an answer before and after its id. */
export type AnswerText = readonly [before: string, after: string]

/** The first answers of a server over stdio, which depend on its configuration only. */
export interface PreparedAnswers {
  /** `initialize` by the revision that the client asks for. */
  readonly initialize: Readonly<Record<string, AnswerText>>
  /** The lists for clients of these revisions, by method. */
  readonly legacy: Readonly<Record<string, AnswerText>>
  /** `server/discover` and the lists of 2026-07-28, by method. */
  readonly modern: Readonly<Record<string, AnswerText>>
}

/** What the build leaves beside the program in `prepared/index.json`. */
export interface PreparedIndex {
  /** Changes with every change of an answer of the program. */
  readonly build: string
  /** Names of the environment variables that configure the program. */
  readonly environment: readonly string[]
  /** The file of the answers by the command line, as JSON, of a start without configuration. */
  readonly starts: Readonly<Record<string, string>>
}

/** The line that answers the request with this id. */
export function answerLine([before, after]: AnswerText, id: string | number): string {
  return `${before}${JSON.stringify(id)}${after}\n`
}
