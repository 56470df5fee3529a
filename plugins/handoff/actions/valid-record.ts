import { SatchelError } from '../../../server/plugin.ts'
import type { Handoff } from '../domain/record.ts'
import { schemaVerdict } from '../domain/schema-verdict.ts'

const ERRORS_TOLD = 100

/** What is about to be written, as a record. `nextStep` ends the message. Errors: `invalid`/`schema_invalid` with every error. */
export function validRecord(value: unknown, nextStep: string): Handoff {
  const errors = schemaVerdict(value)
  const [first] = errors
  if (first === undefined) return value as Handoff // the verdict is what proves it
  throw new SatchelError(
    'invalid',
    'schema_invalid',
    `${first.pointer || 'the record'}: ${first.message}. ${nextStep}`,
    { details: { errors: errors.slice(0, ERRORS_TOLD), errors_total: errors.length } },
  )
}
