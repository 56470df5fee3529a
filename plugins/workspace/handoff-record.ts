import { validate } from '../../generated/handoff-validate.js'
import type { FieldError } from '../../server/plugin.ts'

/** What is wrong with a handoff record, by JSON pointer; empty when nothing is. */
export function checkHandoffRecord(record: unknown): readonly FieldError[] {
  if (validate(record)) return []
  return (validate.errors ?? []).map(({ instancePath, keyword, params }) => ({
    pointer: instancePath,
    message: `breaks "${keyword}" ${JSON.stringify(params)}`,
  }))
}
