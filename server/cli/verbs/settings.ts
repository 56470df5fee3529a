import { z } from 'zod'
import type { Settings } from '../global-flags.ts'

/** The flag `--trust-proxy`. */
export const TRUST_PROXY = z
  .string()
  .optional()
  .describe('addresses of reverse proxies in front, separated by commas')

/** Returns the given flags as settings. */
export function settingsOf(flags: Settings): Settings {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

/** Splits `a, b` into a list. */
export function commaList(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
