/** The content of a configuration file with the line of each key. */
export interface ConfigText {
  readonly values: Readonly<Record<string, unknown>>
  /** Dotted key -> line, from 1. */
  readonly lines: ReadonlyMap<string, number>
}
