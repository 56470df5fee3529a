import { createRateLimit } from '../platform/rate-limit.ts'
import type { Exchange, HttpOptions } from './exchange.ts'
import { refusals } from './refusals.ts'
import { callerAddress } from './trusted-proxy.ts'

/**
 * Returns the check of `http.rate` for one listener. A caller is an address: before authentication nothing else is known.
 * Errors of the check: `rate_limited`/`too_many_requests`.
 */
export function requestRate(options: HttpOptions): (exchange: Exchange) => void {
  const { rate } = options
  if (rate === undefined) return () => undefined
  const limit = createRateLimit(rate, () => performance.now())
  return (exchange) => {
    const wait = limit.take(callerAddress(exchange, options))
    if (wait === 0) return
    const seconds = Math.ceil(wait)
    throw refusals.too_many_requests({ rate, seconds }, { details: { retry_after_s: seconds } })
  }
}
