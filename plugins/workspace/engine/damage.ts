import { SatchelError } from '../../../server/plugin.ts'

/** The refusal of a sidecar, or a record, that this version does not know. */
export function unsupportedVersion(): SatchelError {
  return new SatchelError(
    'invalid',
    'unsupported_version',
    'This room was written by a newer satchel. Update satchel, then open it again.',
  )
}

/** The refusal to open what was acknowledged and can no longer be read; nothing was written. */
export function storeDamaged(
  what: string,
  details: Readonly<Record<string, unknown>>,
  cause?: unknown,
): SatchelError {
  return new SatchelError(
    'unavailable',
    'store_damaged',
    `${what} Nothing was changed. Run \`satchel workspace doctor\` to see what is readable.`,
    { details, cause },
  )
}
