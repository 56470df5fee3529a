import type { Handoff } from '../domain/record.ts'
import { schemaVerdict } from '../domain/schema-verdict.ts'
import { refusals } from '../reasons.ts'

const ERRORS_TOLD = 100

/** What is about to be written, as a record. Errors: `invalid`/`schema_invalid` with every error. */
export function validRecord(value: unknown): Handoff {
  const errors = schemaVerdict(value)
  const [first] = errors
  if (first === undefined) return value as Handoff // the verdict is what proves it
  throw refusals.schema_invalid(
    { place: first.pointer || 'the record', fault: first.message },
    { errors: errors.slice(0, ERRORS_TOLD), details: { errors_total: errors.length } },
  )
}
