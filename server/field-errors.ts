import type { z } from 'zod'
import type { FieldError } from './contract/errors.ts'

/** Converts each zod issue of `input` to a JSON pointer and a sentence. */
export function fieldErrors(error: z.ZodError, input: unknown): FieldError[] {
  return error.issues.map((issue) => ({
    pointer: pointerOf(issue.path),
    message: isMissing(issue, input) ? `is missing; it is of type ${issue.expected}` : issue.message,
  }))
}

/** Distinguishes a missing field, which zod reports as a wrong type. */
export function isMissing(issue: z.core.$ZodIssue, input: unknown): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined
}

/** Returns the JSON pointer of a path. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (value: unknown, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
}
