import type { z } from 'zod'
import type { FieldError, SatchelError } from './contract/errors.ts'
import { faultOf, valueIn } from './field-fault.ts'
import { refusals } from './refusals.ts'

/** The refusal `invalid_arguments` of an input that its schema refuses: the first fault in words, all of them in the details. */
export function invalidArguments(error: z.ZodError, input: unknown): SatchelError {
  const errors = fieldErrors(error, input)
  const [first] = errors
  const words = { field: first?.pointer || 'input', fault: first?.message ?? 'is not valid' }
  return refusals.invalid_arguments(words, { errors })
}

/** Converts each zod issue of `input` to a JSON pointer and a sentence. */
export function fieldErrors(error: z.ZodError, input: unknown): FieldError[] {
  return error.issues.map((issue) => ({
    pointer: pointerOf(issue.path),
    message: isMissing(issue, input) ? missing(issue.expected) : faultOf(issue, valueIn(input, issue.path)),
  }))
}

/** A required field of any type has none to name. */
function missing(expected: string): string {
  return expected === 'nonoptional' ? 'is missing' : `is missing; it is of type ${expected}`
}

/** Distinguishes a missing field, which zod reports as a wrong type. */
export function isMissing(issue: z.core.$ZodIssue, input: unknown): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && valueIn(input, issue.path) === undefined
}

/** Returns the JSON pointer of a path. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
