import type { Cell, Row } from '../domain/rows.ts'

/** The query engine in memory. It keeps nothing: the journal is the authority, an image only a checkpoint. */
export interface Sql {
  /** An empty database, or the one of this image. Errors: the engine's own on an image that is not a database. */
  open(image?: Uint8Array): SqlConnection
}

export interface SqlConnection {
  /** Statements without parameters. */
  exec(sql: string): void
  prepare(sql: string): SqlStatement
  /** The image; not inside a transaction. The connection stays usable. */
  export(): Uint8Array
  close(): void
}

export interface SqlStatement {
  run(values: readonly Cell[]): void
  rows(values: readonly Cell[]): Row[]
  free(): void
}
