import * as z from 'zod'
import type { McpFlag } from '../../builtin-plugins.ts'
import type { Completer } from '../../contract/advanced/verb.ts'
import type { Settings } from '../global-flags.ts'

/** The flag `--trust-proxy`. */
export const TRUST_PROXY = z
  .string()
  .optional()
  .describe('addresses or ranges of reverse proxies in front, separated by commas')

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

/** What a shell completes the values of these flags with. */
export function completersOf(flags: readonly McpFlag[]): Readonly<Record<string, Completer>> {
  return Object.fromEntries(flags.flatMap(({ name, complete }) => (complete ? [[name, complete]] : [])))
}
