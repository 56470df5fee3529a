import { SatchelError } from '../contract/errors.ts'
import { nearest } from '../platform/nearest.ts'

const USAGE = Symbol('usage')

/** The command line itself was wrong: an unknown verb or flag, a missing argument. The exit code is 2. */
export function usageError(
  reason: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): SatchelError {
  return markUsage(new SatchelError('invalid', reason, message, details && { details }))
}

/** Marks an error of the call as one of typing: the same code and reason as at every door, and exit code 2. */
export function markUsage(error: SatchelError): SatchelError {
  return Object.defineProperty(error, USAGE, { value: true })
}

export function isUsageError(error: SatchelError): boolean {
  return USAGE in error
}

/** An unknown word where a verb was expected; `path` is what was typed before it. */
export function unknownVerb(word: string, path: readonly string[], known: Iterable<string>): SatchelError {
  const near = nearest(word, known)
  const prefix = ['satchel', ...path].join(' ')
  const hint = near ? ` Did you mean "${[...path, near].join(' ')}"?` : ''
  return usageError(
    'unknown_verb',
    `unknown verb "${[...path, word].join(' ')}".${hint} See: ${prefix} --help`,
    {
      verb: [...path, word].join(' '),
      ...(near && { nearest: [...path, near].join(' ') }),
    },
  )
}
