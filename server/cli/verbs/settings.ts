import type { Settings } from '../global-flags.ts'

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
