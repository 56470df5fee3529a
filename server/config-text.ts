/** What a configuration file says, and on which line each key stands. */
export interface ConfigText {
  readonly values: Readonly<Record<string, unknown>>
  /** Dotted key -> line, from 1. */
  readonly lines: ReadonlyMap<string, number>
}
