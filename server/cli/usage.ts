import type { FieldError, SatchelError } from '../contract/errors.ts'
import { nearest } from '../platform/nearest.ts'
import { refusals } from './refusals.ts'
import { fieldOf } from './render.ts'

const USAGE = Symbol('usage')

/** Marks an error as wrong usage of the command line: the same code and reason as at every door, and exit code 2. */
export function markUsage(error: SatchelError): SatchelError {
  return Object.defineProperty(error, USAGE, { value: true })
}

export function isUsageError(error: SatchelError): boolean {
  return USAGE in error
}

/**
 * Refuses an unknown word in place of a verb; `path` holds the words before it, `known` the verbs that may follow them.
 * Suggests one of these, else one of the `others`, which are whole.
 */
export function unknownVerb(
  word: string,
  path: readonly string[],
  known: Iterable<string>,
  others: Iterable<string> = [],
): SatchelError {
  const near = nearest(word, known)
  const verb = [...path, word].join(' ')
  const nearby = near === undefined ? nearest(word, others) : [...path, near].join(' ')
  return markUsage(
    refusals.unknown_verb(
      { verb, hint: nearby ? `Did you mean "${nearby}"? ` : '', help: helpOf(path) },
      { details: { verb, ...(nearby && { nearest: nearby }) } },
    ),
  )
}

/** Refuses typed values; `path` holds the words of the verb. */
export function wrongValue(errors: readonly FieldError[], path: readonly string[]): SatchelError {
  const [first] = errors
  const field = fieldOf(first?.pointer ?? '') || 'input'
  const fault = first?.message.replace(/[.?]?$/, (end) => end || '.') ?? 'is not valid.'
  return markUsage(refusals.invalid_arguments({ field, fault, help: helpOf(path) }, { errors }))
}

/** Returns the line that points to the help of the typed words. */
export function helpOf(path: readonly string[]): string {
  return ['satchel', ...path, '--help'].join(' ')
}
