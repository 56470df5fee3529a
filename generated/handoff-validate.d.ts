/** Written by scripts/generate.ts; do not edit. */

/** One broken rule of the schema, as ajv reports it (without a message). */
export interface SchemaError {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

/** True when the value is a handoff record; otherwise `errors` says why, until the next call. */
export const validate: {
  (value: unknown): boolean
  errors?: readonly SchemaError[] | null
}
