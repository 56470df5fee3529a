import { nearest } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/**
 * A text as one of the values it may have; listing them all in the input schema would cost every model tokens.
 * Errors: `invalid`/`invalid_arguments` with the values and the nearest one.
 */
export function oneOf<T extends string>(field: string, given: string, values: readonly T[]): T {
  const found = values.find((value) => value === given)
  if (found !== undefined) return found
  const near = nearest(given, values)
  const hint = near ? ` Did you mean "${near}"?` : ''
  const allowed = values.join(', ')
  const errors = [{ pointer: `/${field}`, message: `one of ${allowed}` }]
  throw refusals.unknown_value({ field, values: allowed, hint }, { errors })
}
