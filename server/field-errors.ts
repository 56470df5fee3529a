import type { z } from 'zod'
import type { FieldError } from './contract/errors.ts'
import { faultOf, valueIn } from './field-fault.ts'

/** Converts each zod issue of `input` to a JSON pointer and a sentence. */
export function fieldErrors(error: z.ZodError, input: unknown): FieldError[] {
  return error.issues.map((issue) => ({
    pointer: pointerOf(issue.path),
    message: isMissing(issue, input)
      ? `is missing; it is of type ${issue.expected}`
      : faultOf(issue, valueIn(input, issue.path)),
  }))
}

/** Distinguishes a missing field, which zod reports as a wrong type. */
export function isMissing(issue: z.core.$ZodIssue, input: unknown): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && valueIn(input, issue.path) === undefined
}

/** Returns the JSON pointer of a path. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
