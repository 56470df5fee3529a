import { isSatchelError, type SatchelError } from '../contract/errors.ts'
import { refusals } from './refusals.ts'

/** SQLSTATEs of PostgreSQL, by what a caller can do about them. */
const STATES: Readonly<Record<string, (place: string, thrown: unknown) => SatchelError>> = {
  '28000': (place, cause) => refusals.storage_password({ place }, { cause }),
  '28P01': (place, cause) => refusals.storage_password({ place }, { cause }),
  '3D000': (place, cause) => refusals.storage_no_database({ place }, { cause }),
  '42501': (place, cause) => refusals.storage_denied({ place }, { cause }),
  '25006': (place, cause) => refusals.storage_read_only({ place }, { cause }),
  '53100': (place, cause) => refusals.storage_full({ place }, { cause }),
  '53200': busy('it has no memory free'),
  '53300': busy('it has no connection free'),
  '53400': busy('a limit of its configuration is reached'),
  '40001': busy('other changes came first'),
  '40P01': busy('other changes came first'),
  '55P03': busy('a lock was not free in time'),
  '57014': busy('the statement took too long'),
  '57P03': (place, cause) =>
    refusals.storage_unreachable({ place, fault: 'it is starting or stopping' }, { cause }),
  '42P01': (place, cause) => refusals.storage_not_migrated({ place }, { cause }),
  '3F000': (place, cause) => refusals.storage_not_migrated({ place }, { cause }),
}

/** The server rolled the transaction back because of what others did at the same time: the same statement may succeed. */
const ROLLED_BACK = new Set(['40001', '40P01'])

/** Ends of a connection; whether its last statement was carried out is open. */
const LOST = /^(08|57P0[1245]$|25P03$)/
const LOST_SYSTEM = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED'])
const LOST_TEXT = /connection terminated|client has encountered a connection error|not queryable|was closed/i

/** Of the driver. */
const SILENT = 'Query read timeout'

/** True if no answer came for longer than the server works on a statement, on a connection that did not end. */
export function isSilent(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === SILENT
}

/** True if the connection ended, or fell silent, before the answer came. */
export function isLost(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || isSatchelError(thrown)) return false
  const code = codeOf(thrown)
  return isSilent(thrown) || LOST.test(code) || LOST_SYSTEM.has(code) || LOST_TEXT.test(thrown.message)
}

/** True if the server undid the whole transaction in favour of others, so that it may be run again. */
export function isRolledBack(thrown: unknown): boolean {
  return thrown instanceof Error && ROLLED_BACK.has(codeOf(thrown))
}

/** What could not be connected to. The texts of the driver may hold a password, so that only codes are shown. */
export function refusalOfConnecting(thrown: unknown, place: string): unknown {
  if (isSatchelError(thrown)) return thrown
  if (!(thrown instanceof Error)) return thrown
  const tls = refusalOfTls(thrown, place)
  if (tls) return tls
  const known = STATES[codeOf(thrown)]
  if (known) return known(place, thrown)
  if (/password|SASL|SCRAM/i.test(thrown.message))
    return refusals.storage_password({ place }, { cause: thrown })
  const fault = /timeout/i.test(thrown.message)
    ? 'no answer in time'
    : codeOf(thrown) || 'the connection was closed'
  return refusals.storage_unreachable({ place, fault }, { cause: thrown })
}

/** Codes of Node.js and OpenSSL for a certificate that is not accepted, by their forms. */
const CERTIFICATE = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$/
const TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/

/** The server answers, but not with the encryption that is asked for; undefined: it is something else. */
function refusalOfTls(thrown: Error, place: string): SatchelError | undefined {
  const code = codeOf(thrown)
  const options = { cause: thrown }
  if (CERTIFICATE.test(code)) return refusals.storage_certificate({ place, fault: code }, options)
  const fault = TLS.test(code)
    ? `no TLS with it (${code})`
    : UNENCRYPTED.find(([text]) => text.test(thrown.message))?.[1]
  return fault === undefined ? undefined : refusals.storage_encryption({ place, fault }, options)
}

/** Texts of the driver, and of the server in English; without a match the fault has a more general row. */
const UNENCRYPTED: readonly (readonly [RegExp, string])[] = [
  [/does not support SSL/i, 'the server offers no encryption'],
  [/error establishing an SSL connection|SSL negotiation/i, 'the server answers no request for encryption'],
  [/no pg_hba\.conf entry.*(?:no encryption|SSL off)/i, 'the server refuses connections without encryption'],
]

/** A failed statement as what a caller can act on; a fault of ours stays what it is. */
export function refusalOfStatement(thrown: unknown, place: string): unknown {
  if (!(thrown instanceof Error) || isSatchelError(thrown)) return thrown
  return (
    STATES[codeOf(thrown)]?.(place, thrown) ??
    (isLost(thrown) ? refusals.storage_lost({ place }, { cause: thrown }) : thrown)
  )
}

function busy(fault: string) {
  return (place: string, cause: unknown) => refusals.storage_busy({ place, fault }, { cause })
}

function codeOf(thrown: Error): string {
  const first = thrown instanceof AggregateError ? thrown.errors[0] : thrown
  const code: unknown = first instanceof Error && 'code' in first ? first.code : undefined
  return typeof code === 'string' ? code : ''
}
