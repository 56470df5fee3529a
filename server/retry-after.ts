import type { SatchelError } from './contract/errors.ts'

/** Where the refusal does not say when. */
const RETRY_AFTER_S = 5

/** Returns the whole seconds of the header `Retry-After` of a refusal that passes. */
export function retryAfterOf({ details }: Pick<SatchelError, 'details'>): string {
  const seconds = details?.['retry_after_s']
  return String(typeof seconds === 'number' && seconds > 0 ? Math.ceil(seconds) : RETRY_AFTER_S)
}
